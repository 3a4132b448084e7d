import Synchronization

/// Lets a fixed number of tasks run at a time, and makes the parties that they run for take turns.
///
/// The next slot goes to the party that holds the fewest slots; among equals, to the one whose last turn was the
/// longest ago. The last free slot goes only to a party that holds none, so one party's long work never stops
/// another's from starting.
package final class FairGate: Sendable {
  private struct Waiter {
    let id: UInt64
    let party: String
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var next: UInt64 = 0
    /// The number of slots that each party holds.
    var held: [String: Int] = [:]
    /// The number of each party's last turn.
    var turns: [String: UInt64] = [:]
    var waiting: [Waiter] = []

    /// Removes and returns the next waiter to be admitted, if there is one.
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
      // If no work is waiting or running, earlier turns no longer matter.
      if waiting.isEmpty, held.isEmpty { turns = [:] }
    }
  }

  private let state: Mutex<State>

  /// Creates a gate with the given number of slots, at least one.
  package init(_ slots: Int) { state = Mutex(State(free: max(1, slots))) }

  /// Whether work waits for a slot.
  package var isContended: Bool { waitingCount > 0 }

  /// The number of tasks that wait for a slot.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` when it is the party's turn.
  ///
  /// - Parameter party: the party that the work is for. All work without a party takes turns as one.
  /// - Throws: `CancellationError` if the task is cancelled first, or an error from `body`.
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
