import CMicroHTTPD
import Foundation
import Synchronization
import Threads

/// Accepts the connections that relays pass on, and hands them to a server as if their clients had connected to it.
///
/// A relay introduces each connection with a key and the client's address.
public final class RelayEntrance: Sendable {
  private let isStopped = Mutex(false)
  private let wakeup: Int32

  /// Starts to accept connections.
  ///
  /// - Parameters:
  ///   - socket: the listening socket.
  ///   - key: the key that relays must send.
  ///   - server: the server that serves the connections.
  ///   - acceptsOnlyLocal: whether relays and clients on other hosts are turned away, because the server trusts every
  ///     client.
  public init(
    accepting socket: borrowing ListeningSocket, key: String, for server: Server,
    acceptsOnlyLocal: Bool
  ) throws(ServerError) {
    wakeup = eventfd(0, Int32(EFD_CLOEXEC))
    let listener = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 3)
    guard wakeup >= 0, listener >= 0 else {
      let reason = String(cString: strerror(errno))
      if listener >= 0 { close(listener) }
      throw ServerError(.cannotStart, "cannot accept passed connections: \(reason)")
    }
    BlockingThread.start(named: "http-entrance") { [self] in
      var loop = EntranceLoop(listener: listener, wakeup: wakeup, key: key)
      loop.run(until: { isStopped.withLock { $0 } }) { socket, client in
        if acceptsOnlyLocal,
          !LoopbackAddress.isLoopback("\(client)") || !IncomingSocket.isLocal(socket)
        {
          return false
        }
        server.adopt(socket, from: SocketPlace(client, port: 0))
        return true
      }
      close(listener)
    }
  }

  deinit { close(wakeup) }

  /// Stops accepting connections. Those that the server has stay open.
  public func stop() {
    isStopped.withLock { $0 = true }
    var one: UInt64 = 1
    _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
  }
}

/// The thread of an entrance, with the connections whose introductions are not complete.
private struct EntranceLoop {
  private struct Newcomer {
    let socket: Int32
    let start = ContinuousClock.now
    var introduction: [UInt8] = []
  }

  let listener: Int32
  let wakeup: Int32
  let key: String
  private var newcomers: [Newcomer] = []
  /// If there are more connections, the oldest are closed, so that silent strangers do not keep relays out.
  private static let mostNewcomers = 512
  private static let patience = Duration.seconds(3)

  init(listener: Int32, wakeup: Int32, key: String) {
    (self.listener, self.wakeup, self.key) = (listener, wakeup, key)
  }

  mutating func run(
    until isStopped: () -> Bool, _ handOver: (Int32, InternetAddress) -> Bool
  ) {
    while !isStopped() {
      var sockets = [pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)]
      sockets.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
      sockets += newcomers.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      poll(&sockets, nfds_t(sockets.count), newcomers.isEmpty ? -1 : 500)
      let waiting = newcomers
      newcomers = []
      for newcomer in waiting { receive(newcomer, handOver) }
      accept()
    }
    for newcomer in newcomers { close(newcomer.socket) }
  }

  /// Reads what has arrived of an introduction. Keeps the connection, hands it over, or closes it.
  private mutating func receive(
    _ newcomer: Newcomer, _ handOver: (Int32, InternetAddress) -> Bool
  ) {
    var newcomer = newcomer
    var rest = [UInt8](
      repeating: 0, count: RelayTarget.introductionLength - newcomer.introduction.count)
    let count = recv(newcomer.socket, &rest, rest.count, 0)
    let isBroken = count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    newcomer.introduction += rest.prefix(max(0, count))
    if newcomer.introduction.count < RelayTarget.introductionLength {
      guard !isBroken, ContinuousClock.now - newcomer.start < Self.patience else {
        close(newcomer.socket)
        return
      }
      newcomers.append(newcomer)
      return
    }
    guard let client = RelayTarget.client(in: newcomer.introduction, key: key),
      handOver(newcomer.socket, client)
    else {
      close(newcomer.socket)
      return
    }
  }

  private mutating func accept() {
    for _ in 0..<Self.mostNewcomers {
      guard let (socket, _) = IncomingSocket.accept(from: listener) else { break }
      newcomers.append(Newcomer(socket: socket))
      if newcomers.count > Self.mostNewcomers { close(newcomers.removeFirst().socket) }
    }
    if IncomingSocket.isOutOfRoom { usleep(10_000) }
  }
}

/// Accepts connections of a listening socket that does not block.
enum IncomingSocket {
  /// A new socket that does not block, and the numeric address of its peer; `nil` if none can be accepted now.
  static func accept(from listener: Int32) -> (socket: Int32, peer: String)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let socket = Foundation.accept(listener, address, &length)
        guard socket >= 0 else { return nil }
        guard fcntl(socket, F_SETFD, FD_CLOEXEC) == 0, fcntl(socket, F_SETFL, O_NONBLOCK) == 0
        else {
          close(socket)
          return nil
        }
        return (socket, SocketAddress.host(of: address))
      }
    }
  }

  /// Whether the peer of a socket is on this host.
  static func isLocal(_ socket: Int32) -> Bool {
    let (own, peer) = (host(of: socket, getsockname), host(of: socket, getpeername))
    return !peer.isEmpty && (LoopbackAddress.isLoopback(peer) || peer == own)
  }

  private static func host(
    of socket: Int32,
    _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        name(socket, address, &length) == 0 ? SocketAddress.host(of: address) : ""
      }
    }
  }

  /// Whether the last call failed because the process or the system has no room for another socket.
  static var isOutOfRoom: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
}
