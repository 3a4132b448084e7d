import Foundation

/// A TCP connection to the loopback address, for what an HTTP client would not send.
///
/// Receiving blocks a thread of its own, as the server's handlers need the tests' few cooperative ones.
final class RawConnection: Sendable {
  private let descriptor: Int32

  struct Failure: Error {
    let call: String
    let number: Int32
  }

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(call: "connect", number: errno) }
  }

  deinit {
    close(descriptor)
  }

  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(call: "send", number: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// What the server sends until `text` has come or it closes the connection.
  func receive(through text: String? = nil) async throws -> String {
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
