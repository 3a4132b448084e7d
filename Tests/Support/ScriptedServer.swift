import Foundation
import Processes
import Synchronization

/// A TCP server on the loopback address that runs a test's code for each connection on a separate thread.
public final class ScriptedServer: Sendable {
  /// The port on which it listens.
  public let port: UInt16
  /// `nil` once it is closed.
  private let listener: Mutex<Int32?>
  private let connections = Mutex<[ObjectIdentifier: ScriptedConnection]>([:])

  /// Serves connections with `serve`, which may block. A connection closes when `serve` returns.
  public init(_ serve: @escaping @Sendable (ScriptedConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackSocket.address(port: 0)
    guard LoopbackSocket.with(&address, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { throw LoopbackSocket.Failure(call: "bind", number: errno) }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    self.listener = Mutex(listener)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in run(listener, serve) }
  }

  /// The server's URL, e.g. `http://127.0.0.1:8080`.
  public var origin: String { "http://127.0.0.1:\(port)" }

  /// Accepts no more connections, and breaks the existing ones.
  public func close() {
    listener.withLock { listener in
      if let listener { _ = shutdown(listener, Int32(SHUT_RDWR)) }
    }
    connections.withLock { for connection in $0.values { connection.breakOff() } }
  }

  private func run(
    _ socket: Int32, _ serve: @escaping @Sendable (ScriptedConnection) -> Void
  ) {
    while true {
      let descriptor = Descriptors.accept(from: socket)
      guard descriptor >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        break
      }
      let connection = ScriptedConnection(descriptor)
      connections.withLock { $0[ObjectIdentifier(connection)] = connection }
      Thread.detachNewThread { [self] in
        serve(connection)
        _ = connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
        connection.breakOff()
      }
    }
    listener.withLock { $0 = nil }
    Foundation.close(socket)
  }
}

/// A TCP connection that a test reads and writes byte by byte.
public final class ScriptedConnection: Sendable {
  private let descriptor: Int32
  private let unread = Mutex<[UInt8]>([])

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to a port of the loopback address.
  public init(to port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackSocket.address(port: port)
    guard LoopbackSocket.with(&address, { connect(descriptor, $0, $1) }) == 0 else {
      // All properties are set, so the deinitializer closes the descriptor.
      throw LoopbackSocket.Failure(call: "connect", number: errno)
    }
  }

  /// Connects to the Unix socket at a path.
  public init(toSocket path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw LoopbackSocket.Failure(call: "connect", number: errno) }
  }

  deinit { close(descriptor) }

  /// Ends the connection in both directions.
  public func breakOff() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends nothing more. The peer can still send.
  public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends bytes. Returns `false` if the peer has closed the connection.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends text. Returns `false` if the peer has closed the connection.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// The next bytes that arrive; none if the peer has closed the connection.
  public func receive() -> [UInt8] {
    let kept = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    guard kept.isEmpty else { return kept }
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : []
    }
  }

  /// The next complete request; `nil` if no more arrive.
  public func request() -> ScriptedRequest? {
    var bytes: [UInt8] = []
    let mark = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
      let more = receive()
      if more.isEmpty { return nil }
      let start = max(0, bytes.count - mark.count + 1)
      bytes += more
      end = (start..<bytes.count).first { bytes[$0...].starts(with: mark) }
    }
    guard let end else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    var request = ScriptedRequest(lines)
    var body = Array(bytes[(end + mark.count)...])
    if request.headers["expect"] != nil { send("HTTP/1.1 100 Continue\r\n\r\n") }
    let length = request.headers["content-length"].flatMap { Int($0) } ?? 0
    while body.count < length {
      let more = receive()
      if more.isEmpty { return nil }
      body += more
    }
    unread.withLock { $0 = Array(body[length...]) }
    request.body = Array(body[..<length])
    return request
  }
}

/// A request as it arrived.
public struct ScriptedRequest: Hashable, Sendable {
  /// The method.
  public let method: String
  /// The path with its query.
  public let path: String
  /// The fields by their lowercase names.
  public let headers: [String: String]
  /// The body.
  public internal(set) var body: [UInt8] = []
  let head: [String]

  init(_ head: [String]) {
    self.head = head
    let words = (head.first ?? "").split(separator: " ").map(String.init)
    method = words.first ?? ""
    path = words.count > 1 ? words[1] : ""
    var headers: [String: String] = [:]
    for line in head.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    self.headers = headers
  }
}

/// Addresses of the loopback interface for socket calls.
enum LoopbackSocket {
  struct Failure: Error {
    let call: String
    let number: Int32
  }

  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    return address
  }

  static func with(
    _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
