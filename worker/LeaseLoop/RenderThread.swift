import Foundation
import Synchronization

/// Runs blocking work on a thread of its own.
package enum RenderThread {
  /// The value of `work`.
  ///
  /// When the task is cancelled, throws at once and leaves the thread to find out by itself: it may be waiting
  /// for a disk or for the network.
  package static func run<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = Answer<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard answer.wait(continuation) else { return }
        let thread = Thread { answer.give(Result { try work() }) }
        thread.name = name
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  /// The first of the outcomes that arrive, for the one who waits.
  private final class Answer<Value: Sendable>: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Value, any Error>)
      case given(Result<Value, any Error>)
      case done
    }

    private let state = Mutex(State.idle)

    /// Whether the work is still to be done; else the continuation has its outcome.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
      let given = state.withLock { state -> Result<Value, any Error>? in
        guard case .given(let result) = state else {
          state = .waiting(continuation)
          return nil
        }
        state = .done
        return result
      }
      if let given { continuation.resume(with: given) }
      return given == nil
    }

    func give(_ result: Result<Value, any Error>) {
      let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
        switch state {
        case .idle: state = .given(result)
        case .waiting(let continuation):
          state = .done
          return continuation
        case .given, .done: break
        }
        return nil
      }
      waiting?.resume(with: result)
    }
  }
}
