import Foundation

/// A TCP connection to a port of the loopback address.
final class LoopbackConnection {
  private let descriptor: Int32

  /// A system call that failed.
  struct Failure: Error {
    let call: String
    let number: Int32
  }

  /// The time in which a server that has read a whole request has usually started to answer, in milliseconds.
  private static let answerTime: Int32 = 3
  /// The time without a byte after which the connection is closed, in milliseconds. libmicrohttpd does not always notice
  /// at once that a client will send no more, and waits for its timeout.
  private static let silence: Int32 = 10

  init(port: UInt16) throws(Failure) {
    descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    // Closing the connection resets it, so that nothing remains in the kernel.
    var reset = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // libFuzzer's alarm interrupts calls, but the connection attempt continues.
    let number = status == 0 ? 0 : errno == EINTR ? Self.outcome(of: descriptor) : errno
    guard number == 0 else {
      close(descriptor)
      throw Failure(call: "connect", number: number)
    }
  }

  deinit { close(descriptor) }

  /// Waits until the connection is established, and returns 0 or the error number.
  private static func outcome(of descriptor: Int32) -> Int32 {
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&event, 1, -1) < 0 { guard errno == EINTR else { return errno } }
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 ? number : errno
  }

  /// Sends bytes, closes the sending direction, and returns the response.
  func exchange(_ bytes: Data) -> Data {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // A server may close the connection before it has read everything.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var answer = Data()
    let isOpen = receive(into: &answer, within: Self.answerTime)
    shutdown(descriptor, Int32(SHUT_WR))
    if isOpen { while receive(into: &answer, within: Self.silence) {} }
    return answer
  }

  /// Receives the bytes that arrive within a number of milliseconds. Returns whether more may arrive.
  private func receive(into answer: inout Data, within time: Int32) -> Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, time) > 0 else { return time == Self.answerTime }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    answer += buffer[..<count]
    return true
  }
}
