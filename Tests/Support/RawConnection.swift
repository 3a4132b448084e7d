import Foundation

/// A TCP connection to the loopback address, for bytes that an HTTP client would not send.
///
/// Receiving blocks a separate thread, because the server's handlers need the few cooperative threads of the tests.
public final class RawConnection: Sendable {
  private let descriptor: Int32

  /// A system call that failed.
  public struct Failure: Error {
    /// The call.
    public let call: String
    /// The system's error number.
    public let number: Int32
  }

  /// Connects.
  ///
  /// - Parameter patience: the number of milliseconds without a byte after which ``receive(through:)`` gives up.
  public init(port: UInt16, patience: Int = 180_000) throws {
    descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    var limit = timeval(tv_sec: patience / 1000, tv_usec: patience % 1000 * 1000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withLoopbackAddress(port: port) { connect(descriptor, $0, $1) }
    guard result == 0 else { throw Failure(call: "connect", number: errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Sends a text as UTF-8.
  public func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(call: "send", number: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// The bytes that the server sends, until `text` has arrived or the server closes the connection.
  public func receive(through text: String? = nil) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try self.receiveBlocking(through: text) })
      }
    }
  }

  private func receiveBlocking(through text: String?) throws -> String {
    var received = ""
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else {
        if errno == ECONNRESET { return received }
        throw Failure(call: "recv", number: errno)
      }
      guard count > 0 else { return received }
      received += String(decoding: buffer[..<count], as: UTF8.self)
      if let text, received.contains(text) { return received }
    }
  }
}

/// A reserved port of the loopback address on which no program listens.
public final class SilentPort {
  private let descriptor: Int32
  /// The port.
  public let number: UInt16

  /// Reserves a free port.
  public init() throws {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    guard withLoopbackAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else {
      throw RawConnection.Failure(call: "bind", number: errno)
    }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    number = UInt16(bigEndian: address.sin_port)
  }

  /// Starts to listen, for a program that inherits the socket. The descriptor is valid while this object exists.
  ///
  /// - Parameter backlog: the number of connections that may wait to be accepted. With 0, one may.
  @discardableResult public func startListening(backlog: Int32 = 256) throws -> Int32 {
    guard listen(descriptor, backlog) == 0 else {
      throw RawConnection.Failure(call: "listen", number: errno)
    }
    return descriptor
  }

  deinit {
    close(descriptor)
  }
}

private func withLoopbackAddress(
  port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
