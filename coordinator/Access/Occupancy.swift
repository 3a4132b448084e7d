import HTTP
import Synchronization

/// Limits how many long requests are open at a time, in total and per client or submitter.
package final class Occupancy: Sendable {
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
  ///   - what: the name of the requests in messages, in the plural.
  ///   - remedy: what a client can do if it has reached its limit.
  init(_ what: String, limit: Int = .max, perClient: Int?, remedy: String = "close one") {
    self.what = what
    self.remedy = remedy
    self.limit = limit
    limitPerClient = perClient
  }

  /// A slot, which becomes free when this object is released.
  package final class Slot: Sendable {
    private let occupancy: Occupancy
    private let client: String

    fileprivate init(_ occupancy: Occupancy, _ client: String) {
      self.occupancy = occupancy
      self.client = client
    }

    deinit { occupancy.leave(client) }
  }

  /// Takes a slot.
  ///
  /// - Throws: ``AccessError`` if the client has reached its limit, or no slot is free.
  func enter(_ client: String) throws(AccessError) -> Slot {
    let refusal = state.withLock { state -> AccessError? in
      let own = state.perClient[client, default: 0]
      if let limitPerClient, own >= limitPerClient {
        return AccessError(
          .clientLimit, "this client already has \(limitPerClient) \(what): \(remedy)")
      }
      if state.all >= limit {
        return AccessError(
          .slotsTaken, "the coordinator already has \(limit) \(what): try again later")
      }
      state.all += 1
      state.perClient[client] = own + 1
      return nil
    }
    if let refusal { throw refusal }
    return Slot(self, client)
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
  /// The key under which a client's open requests are counted: its token, or its address without one.
  func limitKey(_ head: RequestHead) -> String { token ?? head.peer }
}
