import CMicroHTTPD
import Foundation
import Synchronization
import Threads

/// The open connections of a server. Counts them per client, and closes those that are too slow.
///
/// libmicrohttpd closes connections without traffic, but not connections on which a byte arrives now and then. This
/// class closes those.
///
/// Sockets are used only under the mutex, which libmicrohttpd's thread also takes before it closes one.
final class Connections: Sendable {
  enum Phase {
    /// The client has to send a complete head.
    case waiting
    /// The client has to send a body.
    case receiving
    /// The client has to receive a body.
    case sending
    /// The client has nothing to do: the server is processing the request, or the client waits for events.
    case atWork
  }

  private struct Entry {
    let socket: Int32
    let peer: String
    var phase = Phase.waiting
    /// When the phase began, or when the connection last made enough progress in it.
    var since: ContinuousClock.Instant
    /// The number of bytes that had been received by then.
    var received: UInt64 = 0
    /// The number of bytes that had been sent by then.
    var sent: UInt64 = 0
  }

  private struct State {
    /// The connections by the address of libmicrohttpd's connection object.
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
  private let now: @Sendable () -> ContinuousClock.Instant

  init(
    _ limits: ServerLimits, isSecure: Bool, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.limits = limits
    self.isSecure = isSecure
    self.now = now
  }

  /// Starts to look for connections that are too slow.
  func start() {
    BlockingThread.start(named: "http-slow") { [weak self] in
      while self?.closeSlow() == true { Thread.sleep(forTimeInterval: Self.interval) }
    }
  }

  /// Stops looking for slow connections.
  func stop() { state.withLock { $0.isStopped = true } }

  // MARK: - Events from libmicrohttpd

  func opened(_ connection: OpaquePointer) {
    let socket = sheaf_mhd_socket(connection)
    let peer = Self.peer(of: connection)
    let number = UInt(bitPattern: connection)
    let count = state.withLock { state in
      state.entries[number] = Entry(socket: socket, peer: peer, since: now())
      state.perPeer[peer, default: 0] += 1
      return state.perPeer[peer, default: 0]
    }
    // Connections beyond the reserve are closed without a response.
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

  /// Records the new phase of a connection.
  func note(_ phase: Phase, _ connection: OpaquePointer) {
    let number = UInt(bitPattern: connection)
    state.withLock { state in
      guard var entry = state.entries[number] else { return }
      entry.phase = phase
      entry.since = now()
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

  /// The problem type of an exceeded limit.
  static let problemType = "/problems/limit-reached"

  // MARK: - Slow clients

  /// Closes the connections that are too slow. Returns false if the server has stopped.
  private func closeSlow() -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      let now = now()
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
          // A client that has sent no part of a request does not expect a response.
          close(entry, saying: entry.phase == .receiving || entry.phase == .waiting && moved > 0)
          state.entries[number]?.phase = .atWork
        }
      }
      return true
    }
  }

  /// Shuts a connection down, so that libmicrohttpd treats it as closed by its client.
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
      detail: "the request did not arrive in time")
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
