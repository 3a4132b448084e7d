import Synchronization

/// Lets a fixed number of tasks run at a time, and gives the parties that they run for turns.
///
/// The next place goes to the party that holds the fewest places; among equals, to the one whose last turn is longest ago.
/// The last free place goes only to a party that holds none, so one party's long work never stops another's from starting.
package final class FairGate: Sendable {
  private struct Waiter {
    let id: UInt64
    let party: String
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var next: UInt64 = 0
    /// How many places each party has.
    var held: [String: Int] = [:]
    /// When each party was let through last.
    var turns: [String: UInt64] = [:]
    var waiting: [Waiter] = []

    /// Takes out the one who is let through next, if anybody is.
    mutating func admit() -> Waiter? {
      guard free > 0 else { return nil }
      let order = waiting.indices.min { first, second in
        rank(waiting[first]) < rank(waiting[second])
      }
      guard let order, free > 1 || held[waiting[order].party] == nil else { return nil }
      let waiter = waiting.remove(at: order)
      free -= 1
      held[waiter.party, default: 0] += 1
      next += 1
      turns[waiter.party] = next
      return waiter
    }

    private func rank(_ waiter: Waiter) -> (Int, UInt64, UInt64) {
      (held[waiter.party] ?? 0, turns[waiter.party] ?? 0, waiter.id)
    }

    mutating func leave(_ party: String) {
      free += 1
      let left = held[party, default: 1] - 1
      held[party] = left > 0 ? left : nil
      // Whoever neither waits nor works has nothing to be compared with.
      if waiting.isEmpty, held.isEmpty { turns = [:] }
    }
  }

  private let state: Mutex<State>

  /// A gate with this many places, one at the least.
  package init(_ places: Int) { state = Mutex(State(free: max(1, places))) }

  /// Runs a body in a party's turn.
  ///
  /// - Parameter party: whom the work is for; all that is for nobody takes turns as one party.
  /// - Throws: `CancellationError` if the task is cancelled first; what the body throws.
  package func run<Value>(
    for party: String?, _ body: () async throws -> Value
  ) async throws -> Value {
    let party = party.map { "of \($0)" } ?? ""
    try await enter(party)
    defer { leave(party) }
    return try await body()
  }

  private func enter(_ party: String) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock {
          $0.waiting.append(Waiter(id: id, party: party, continuation: continuation))
        }
        if Task.isCancelled { giveUp(id) }
        admit()
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func leave(_ party: String) {
    state.withLock { $0.leave(party) }
    admit()
  }

  private func admit() {
    while let waiter = state.withLock({ $0.admit() }) { waiter.continuation.resume() }
  }

  private func giveUp(_ id: UInt64) {
    let waiter = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }
}
