import Synchronization

/// Hands a thread's result to the task that waits for it.
///
/// A continuation would carry the result too, but a race detector (`make sanitize`) recognizes only that a lock orders
/// the creation before the use.
public final class Handover<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  /// Creates an empty handover.
  public init() {}

  /// Does the work, and stores its result or error.
  public func fill(_ work: () throws -> Value) {
    let result = Result { try work() }
    outcome.withLock { $0 = result }
  }

  /// Returns the result of the work or throws its error. Call it once, after ``fill(_:)``.
  public func take() throws -> Value {
    guard let result = outcome.withLock({ $0.take() }) else {
      preconditionFailure("nothing was handed over")
    }
    return try result.get()
  }
}
