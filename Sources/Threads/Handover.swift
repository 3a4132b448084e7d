import Synchronization

/// Hands a thread's result to the task that waits for it.
///
/// A continuation would carry it as well; but a tool that looks for races (`make sanitize`) knows only that a lock has
/// put the making before the use.
public final class Handover<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)

  /// One that holds nothing yet.
  public init() {}

  /// Does the work, and keeps what comes of it.
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
