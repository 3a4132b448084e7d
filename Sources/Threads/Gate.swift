import Synchronization

/// Lets a limited number of tasks run at a time; the others wait in line.
public final class Gate: Sendable {
  private struct State {
    var free: Int
    var next: UInt64 = 0
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>

  /// Creates a gate with the given number of places, at least one.
  public init(_ limit: Int) { state = Mutex(State(free: max(1, limit))) }

  /// Waits for a place; leave it again with ``leave()``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  public func enter() async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.free == 0 else {
            state.free -= 1
            return true
          }
          state.waiting.append((id, continuation))
          return false
        }
        if isFree { continuation.resume() } else if Task.isCancelled { giveUp(id) }
      }
    } onCancel: {
      giveUp(id)
    }
  }

  /// Returns a place.
  public func leave() {
    let next = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil as CheckedContinuation<Void, any Error>?
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }

  private func giveUp(_ id: UInt64) {
    let waiter = state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
    }
    waiter?.resume(throwing: CancellationError())
  }
}
