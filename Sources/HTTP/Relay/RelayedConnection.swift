import Foundation

/// A connection of a client, and the connection on which its bytes are passed on to the server.
///
/// The sockets do not block. Each call moves what can be moved at once.
final class RelayedConnection {
  /// The bytes that flow in one direction.
  private struct Flow {
    /// The bytes that were read, but not written yet.
    var pending: ArraySlice<UInt8> = []
    /// Whether the sender has ended its side.
    var hasEnded = false
    /// Whether the receiver has been told so.
    var isDone = false
  }

  /// The result of moving bytes.
  enum Progress {
    /// Nothing can be moved until one of the sockets is ready.
    case waits
    /// More can be moved at once.
    case hasMore
    /// Both sides have ended, or one of the connections is broken.
    case isOver
  }

  let client: Int32
  /// The socket to the server; `nil` if the client only gets an answer.
  let server: Int32?
  /// The target of the server's connection.
  let target: RelayTarget?
  /// When the client connected.
  let start = ContinuousClock.now
  /// When both connections are closed at the latest; `nil` for never.
  var deadline: ContinuousClock.Instant?
  private(set) var isConnected = false
  private var request = Flow()
  private var response = Flow()

  /// Passes a client on to a server, whose connection is being opened.
  init(client: Int32, server: Int32, to target: RelayTarget, as address: String) {
    (self.client, self.server, self.target) = (client, server, target)
    request.pending = target.introduction(of: address)[...]
  }

  /// Sends an answer to a client, and then closes its connection. What the client sends is dropped.
  init(client: Int32, answering answer: [UInt8]) {
    (self.client, server, target) = (client, nil, nil)
    response.pending = answer[...]
    response.hasEnded = true
    isConnected = true
    // A client that is still sending when its connection is closed may not receive the answer.
    deadline = start + .seconds(2)
  }

  deinit {
    close(client)
    if let server { close(server) }
  }

  /// Notes that the system has finished opening the connection to the server. Returns whether it is open.
  func connectionEnded() -> Bool {
    var (problem, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    guard let server, getsockopt(server, SOL_SOCKET, SO_ERROR, &problem, &length) == 0, problem == 0
    else { return false }
    isConnected = true
    return true
  }

  /// Moves bytes in both directions.
  ///
  /// - Parameter buffer: memory for the bytes of one call of the system.
  func move(through buffer: UnsafeMutableRawBufferPointer) -> Progress {
    guard isConnected else { return .waits }
    let up = Self.move(&request, from: client, to: server, buffer)
    let down = Self.move(&response, from: server ?? -1, to: client, buffer)
    if up == .isOver || down == .isOver || request.isDone && response.isDone { return .isOver }
    return up == .hasMore || down == .hasMore ? .hasMore : .waits
  }

  /// The most reads in one direction until other connections have their turn.
  private static let mostReads = 16

  private static func move(
    _ flow: inout Flow, from source: Int32, to destination: Int32?,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> Progress {
    for _ in 0..<mostReads {
      guard flow.pending.isEmpty else {
        guard let destination else {
          flow.pending = []
          continue
        }
        let sent = flow.pending.withUnsafeBytes { write($0, to: destination) }
        guard let sent else { return .isOver }
        flow.pending = flow.pending.dropFirst(sent)
        if sent == 0 { return .waits }
        continue
      }
      if flow.hasEnded {
        if !flow.isDone, let destination { shutdown(destination, Int32(SHUT_WR)) }
        flow.isDone = true
        return .waits
      }
      let count = recv(source, buffer.baseAddress, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return errno == EAGAIN ? .waits : .isOver }
      if count == 0 {
        flow.hasEnded = true
        continue
      }
      guard let destination else { continue }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard let sent = write(bytes, to: destination) else { return .isOver }
      if sent < count { flow.pending = Array(bytes[sent...])[...] }
    }
    return .hasMore
  }

  /// Writes what a socket accepts. Returns the number of bytes; `nil` if the connection is broken.
  private static func write(_ bytes: UnsafeRawBufferPointer, to socket: Int32) -> Int? {
    while true {
      let count = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return count }
      guard errno == EINTR else { return errno == EAGAIN ? 0 : nil }
    }
  }
}
