import CMicroHTTPD
import Foundation
import Synchronization

/// The open connections of a server: how many each client has, and which of them only keep a place.
///
/// libmicrohttpd closes a connection on which nothing comes. It has no answer to one on which a byte comes now and
/// then; this has.
///
/// Sockets are used under the mutex only, which libmicrohttpd's thread takes too before it closes one.
final class Connections: Sendable {
  /// The phase of a connection.
  enum Phase {
    /// To bring a whole head.
    case waiting
    /// To bring a body.
    case receiving
    /// To take a body.
    case sending
    /// Nothing: the server is at work, or the client waits for events.
    case atWork
  }

  private struct Entry {
    let socket: Int32
    let peer: String
    var phase = Phase.waiting
    /// Since when it is in the phase, or last moved on in it.
    var since: ContinuousClock.Instant
    /// The number of bytes that had been received or sent by then.
    var received: UInt64 = 0
    var sent: UInt64 = 0
  }

  private struct State {
    /// By the address of libmicrohttpd's connection.
    var entries: [UInt: Entry] = [:]
    var perPeer: [String: Int] = [:]
    var isStopped = false
  }

  /// The number of connections beyond the limit that are accepted, so that their requests can be answered.
  static let reserve = 64
  private static let interval = 0.5

  private let state = Mutex(State())
  private let limits: ServerLimits
  private let isSecure: Bool

  init(_ limits: ServerLimits, isSecure: Bool) {
    self.limits = limits
    self.isSecure = isSecure
  }

  /// Begins to look for connections that only keep a place.
  func start() {
    Thread.detachNewThread { [weak self] in
      Thread.current.name = "http-slow"
      while self?.closeSlow() == true { Thread.sleep(forTimeInterval: Self.interval) }
    }
  }

  /// Ends that.
  func stop() { state.withLock { $0.isStopped = true } }

  // MARK: - What libmicrohttpd tells

  func opened(_ connection: OpaquePointer) {
    let socket = sheaf_mhd_socket(connection)
    let peer = Self.peer(of: connection)
    let number = UInt(bitPattern: connection)
    let count = state.withLock { state in
      state.entries[number] = Entry(socket: socket, peer: peer, since: .now)
      state.perPeer[peer, default: 0] += 1
      return state.perPeer[peer, default: 0]
    }
    // So many more that they are not even told.
    if let limit = limits.connectionsPerClient, count > limit + Self.reserve {
      shutdown(socket, Int32(SHUT_RDWR))
    }
  }

  func closed(_ connection: OpaquePointer) {
    let number = UInt(bitPattern: connection)
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number) else { return }
      let left = state.perPeer[entry.peer, default: 1] - 1
      state.perPeer[entry.peer] = left > 0 ? left : nil
    }
  }

  /// A connection is to do something else from now on.
  func note(_ phase: Phase, _ connection: OpaquePointer) {
    let number = UInt(bitPattern: connection)
    state.withLock { state in
      guard var entry = state.entries[number] else { return }
      entry.phase = phase
      entry.since = .now
      if phase != .atWork { Self.measure(&entry) }
      state.entries[number] = entry
    }
  }

  /// The reason why a request on a connection of `peer` is not served, if there are too many.
  func refusal(of peer: String) -> HTTPError? {
    let (all, own) = state.withLock { ($0.entries.count, $0.perPeer[peer, default: 0]) }
    if let limit = limits.connectionsPerClient, own > limit {
      return HTTPError(
        .tooManyRequests, type: Self.problemType,
        detail: "\(peer) has more than \(limit) connections open: close some",
        headers: ["Connection": "close", "Retry-After": "5"])
    }
    guard all > limits.connections else { return nil }
    return HTTPError(
      .serviceUnavailable, type: Self.problemType,
      detail: "more than \(limits.connections) connections are open: try again",
      headers: ["Connection": "close", "Retry-After": "5"])
  }

  /// The type of the problem that there is too much of something.
  static let problemType = "/problems/limit-reached"

  // MARK: - Slow clients

  /// Closes connections that are due. Returns false if there is no need to check again.
  private func closeSlow() -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      let now = ContinuousClock.now
      for (number, entry) in state.entries {
        let limit = entry.phase == .waiting ? limits.headTimeout : limits.bodyTimeout
        guard entry.phase != .atWork, now - entry.since >= limit else { continue }
        var later = entry
        Self.measure(&later)
        let moved = max(
          later.received &- entry.received, entry.phase == .sending ? later.sent &- entry.sent : 0)
        if entry.phase != .waiting, moved >= ServerLimits.minimumProgress {
          later.since = now
          state.entries[number] = later
        } else {
          // Who has sent nothing of a request waits for no answer.
          close(entry, saying: entry.phase == .receiving || entry.phase == .waiting && moved > 0)
          state.entries[number]?.phase = .atWork
        }
      }
      return true
    }
  }

  /// Ends a connection that libmicrohttpd then finds closed by its client.
  private func close(_ entry: Entry, saying isAnswered: Bool) {
    if isAnswered, !isSecure {
      let answer = Self.timeoutAnswer
      _ = answer.withUnsafeBytes {
        send(entry.socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
    }
    shutdown(entry.socket, Int32(SHUT_RDWR))
  }

  private static let timeoutAnswer: [UInt8] = {
    let problem = ProblemDocument(
      type: problemType, title: Status.requestTimeout.phrase, status: 408,
      detail: "the request did not come in time")
    let body = (try? JSONEncoder.sorted.encode(problem)) ?? Data()
    let head =
      "HTTP/1.1 408 Request Timeout\r\nContent-Type: \(ProblemDocument.mediaType)\r\n"
      + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + body
  }()

  private static func measure(_ entry: inout Entry) {
    var received: UInt64 = 0
    var sent: UInt64 = 0
    guard sheaf_tcp_progress(entry.socket, &received, &sent) == 0 else { return }
    entry.received = received
    entry.sent = sent
  }

  private static func peer(of connection: OpaquePointer) -> String {
    sheaf_mhd_client_address(connection).map { SocketAddress.host(of: $0) } ?? ""
  }
}
