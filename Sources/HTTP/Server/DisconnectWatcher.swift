import CMicroHTTPD
import Foundation
import Threads

/// Detects that clients of suspended connections have disconnected, on one thread for all of them.
///
/// It uses its own epoll instance, which only watches for the peer closing its end. Data that the client has sent early
/// stays in the socket.
final class DisconnectWatcher: Sendable {
  private let epoll: Int32
  private let wakeup: Int32
  private static let stopNumber = UInt64.max

  init() throws(ServerError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeup = eventfd(0, Int32(EFD_CLOEXEC))
    guard epoll >= 0, wakeup >= 0 else {
      let reason = String(cString: strerror(errno))
      throw ServerError(.cannotStart, "cannot start the server: epoll: \(reason)")
    }
    control(EPOLL_CTL_ADD, wakeup, events: EPOLLIN.rawValue, number: Self.stopNumber)
  }

  deinit {
    close(epoll)
    close(wakeup)
  }

  /// Starts the thread, which calls `clientLeft` with the number of the connection.
  func start(_ clientLeft: @escaping @Sendable (UInt64) -> Void) {
    BlockingThread.start(named: "http-disconnect") { self.run(clientLeft) }
  }

  /// Ends the thread.
  func stop() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
  }

  /// Watches `socket` until its peer disconnects, which is reported once.
  func add(_ socket: Int32, number: UInt64) {
    control(
      EPOLL_CTL_ADD, socket, events: EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue, number: number)
  }

  /// Stops watching `socket`.
  func remove(_ socket: Int32) {
    control(EPOLL_CTL_DEL, socket, events: 0, number: 0)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, events: UInt32, number: UInt64) {
    var event = epoll_event()
    event.events = events
    event.data.u64 = number
    epoll_ctl(epoll, operation, descriptor, &event)
  }

  private func run(_ clientLeft: @Sendable (UInt64) -> Void) {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let count = epoll_wait(epoll, &events, Int32(events.count), -1)
      guard count > 0 else {
        if count < 0, errno != EINTR { return }
        continue
      }
      for event in events[..<Int(count)] {
        if event.data.u64 == Self.stopNumber { return }
        clientLeft(event.data.u64)
      }
    }
  }
}
