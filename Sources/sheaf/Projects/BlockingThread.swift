import Foundation
import Synchronization

/// Runs blocking work on a thread of its own, off the cooperative pool.
package enum BlockingThread {
  /// The value of `work`, or the error that it throws.
  ///
  /// When the task is cancelled, throws `CancellationError` at once; the thread ends by itself, or with the process.
  package static func run<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = Answer<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answer.wait(continuation)
        // A cancellation before there was anything to answer has been missed.
        guard !Task.isCancelled else { return answer.give(.failure(CancellationError())) }
        let thread = Thread { answer.give(Result { try work() }) }
        thread.name = name
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  /// Hands the first outcome to the one who waits.
  private final class Answer<Value: Sendable>: Sendable {
    private let waiting = Mutex<CheckedContinuation<Value, any Error>?>(nil)

    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
      waiting.withLock { $0 = continuation }
    }

    func give(_ result: Result<Value, any Error>) {
      waiting.withLock { $0.take() }?.resume(with: result)
    }
  }
}
