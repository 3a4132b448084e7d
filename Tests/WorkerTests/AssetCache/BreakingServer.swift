import Foundation
import Processes
import Synchronization

/// A server of one asset that truncates its responses or flips bits in them.
///
/// It supports only what the tests need of HTTP: one request per connection, for a range.
final class BreakingServer: Sendable {
  /// The fault of a response.
  enum Fault: Sendable {
    /// The response ends after this many bytes of its body.
    case cut(after: Int)
    /// The response pauses after this many bytes of its body, until the semaphore is signaled.
    case pause(after: Int, until: DispatchSemaphore)
    /// The byte at this offset in the asset is changed, if the response contains it.
    case flip(Int64)
    /// The response is replaced by this text.
    case answer(String)
  }

  private struct State: Sendable {
    var faults: [Fault] = []
    /// The fault of all responses without a fault in the list.
    var always: Fault?
    var ranges: [ClosedRange<Int64>] = []
  }

  private let content: [UInt8]
  private let listener: Int32
  let port: UInt16
  private let state = Mutex(State())

  init(_ content: [UInt8]) throws {
    self.content = content
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = listener
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 16) == 0
          && getsockname(socket, $0, &size) == 0
      }
    }
    guard bound else { throw CocoaError(.featureUnsupported) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let connection = Descriptors.accept(from: listener)
        guard connection >= 0 else { break }
        serve(connection)
        close(connection)
      }
      close(listener)
    }
  }

  /// Ends the server's thread, which then closes the socket. If the socket were closed here, its descriptor could become
  /// that of another test's server while the thread is about to accept from it.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  var url: String { "http://127.0.0.1:\(port)/asset" }

  /// The requested ranges.
  var ranges: [ClosedRange<Int64>] { state.withLock { $0.ranges } }

  /// Applies these faults to the next responses.
  func fail(_ faults: [Fault]) { state.withLock { $0.faults = faults } }

  /// Applies this fault to every response.
  func failAlways(_ fault: Fault) { state.withLock { $0.always = fault } }

  private func serve(_ connection: Int32) {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      head += buffer.prefix(count)
    }
    let text = String(decoding: head, as: UTF8.self)
    guard let field = text.split(separator: "\r\n").first(where: { $0.hasPrefix("Range: bytes=") })
    else { return }
    let numbers = field.dropFirst("Range: bytes=".count).split(separator: "-").compactMap {
      Int64($0)
    }
    let range = numbers[0]...min(numbers[1], Int64(content.count) - 1)
    let fault = state.withLock { state in
      state.ranges.append(range)
      return state.faults.isEmpty ? state.always : state.faults.removeFirst()
    }
    var body = Array(content[Int(range.lowerBound)...Int(range.upperBound)])
    let answer =
      "HTTP/1.1 206 Partial Content\r\nContent-Length: \(body.count)\r\n"
      + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(content.count)\r\n"
      + "Connection: close\r\n\r\n"
    switch fault {
    case .cut(let count): body = Array(body.prefix(count))
    case .pause(let count, let end):
      write(Array(answer.utf8) + body.prefix(count), to: connection)
      end.wait()
      write(Array(body.dropFirst(count)), to: connection)
      return
    case .flip(let place): if range.contains(place) { body[Int(place - range.lowerBound)] ^= 4 }
    case .answer(let other):
      write(Array(other.utf8), to: connection)
      return
    case nil: break
    }
    write(Array(answer.utf8) + body, to: connection)
  }

  private func write(_ bytes: [UInt8], to connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
