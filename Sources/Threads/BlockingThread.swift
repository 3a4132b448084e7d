import Foundation
import Synchronization

/// Runs blocking work on a dedicated thread, off the cooperative pool.
public enum BlockingThread {
  /// The stack size in bytes. libav and deeply nested JSON need more than a thread's usual half a megabyte.
  private static let stackSize = 8 << 20

  /// Runs `work` and returns its value or throws its error, regardless of how long it takes.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func run<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let handover = Handover<Value>()
    await withCheckedContinuation { continuation in
      start(name) {
        handover.fill(work)
        continuation.resume()
      }
    }
    return try handover.take()
  }

  /// Runs `work` and returns its value or throws its error. `work` can ask whether the task is cancelled, and should
  /// then end soon.
  ///
  /// - Parameter name: the thread's name, of which the system shows the first 15 bytes.
  public static func run<Value: Sendable>(
    named name: String,
    _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await run(named: name) { try work { flag.isSet } }
    } onCancel: {
      flag.set()
    }
  }

  private final class CancellationFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .relaxed) }

    func set() { state.store(true, ordering: .relaxed) }
  }

  /// Runs `work` and returns its value or throws its error; throws `CancellationError` as soon as the task is
  /// cancelled.
  ///
  /// After a cancellation the thread is left to end by itself, because it may be waiting for a disk or the network.
  public static func runUntilCancelled<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = Answer<Value>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard answer.wait(continuation) else { return }
        start(name) { answer.give(Result { try work() }) }
      }
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }

  private static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      // A name that is set before the thread runs does not reach the system.
      Thread.current.name = name
      body()
    }
    thread.stackSize = stackSize
    thread.start()
  }

  /// The first outcome that arrives, for the waiting task.
  private final class Answer<Value: Sendable>: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<Value, any Error>)
      case given(Result<Value, any Error>)
      case done
    }

    private let state = Mutex(State.idle)

    /// Whether the work is still to be done; otherwise the continuation has received its outcome.
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
