import HTTP
import Synchronization

/// Counts what stays open for long, in all and for each client or submitter.
final class Occupancy: Sendable {
  private struct State {
    var all = 0
    var perClient: [String: Int] = [:]
  }

  private let what: String
  private let remedy: String
  private let limit: Int
  private let limitPerClient: Int?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - what: what is counted, for messages.
  ///   - remedy: what a client can do that has all that it may have.
  init(_ what: String, limit: Int = .max, perClient: Int?, remedy: String = "close one") {
    self.what = what
    self.remedy = remedy
    self.limit = limit
    limitPerClient = perClient
  }

  /// One place, which is free again when this goes.
  final class Place: Sendable {
    private let occupancy: Occupancy
    private let client: String

    fileprivate init(_ occupancy: Occupancy, _ client: String) {
      self.occupancy = occupancy
      self.client = client
    }

    deinit { occupancy.leave(client) }
  }

  /// Takes a place.
  ///
  /// - Throws: ``HTTPError`` 429 if the client has all that it may have, 503 where there is none.
  func enter(_ client: String) throws(HTTPError) -> Place {
    let refusal = state.withLock { state -> HTTPError? in
      let own = state.perClient[client, default: 0]
      if let limitPerClient, own >= limitPerClient {
        return .limitReached("\(limitPerClient) \(what) are open for this client: \(remedy)")
      }
      if state.all >= limit {
        return .limitReached("\(limit) \(what) are open: try again", status: .serviceUnavailable)
      }
      state.all += 1
      state.perClient[client] = own + 1
      return nil
    }
    if let refusal { throw refusal }
    return Place(self, client)
  }

  private func leave(_ client: String) {
    state.withLock { state in
      state.all -= 1
      let left = state.perClient[client, default: 1] - 1
      state.perClient[client] = left > 0 ? left : nil
    }
  }
}

extension Caller {
  /// Under what a client's open requests are counted.
  func place(_ head: RequestHead) -> String { token ?? head.peer }
}
