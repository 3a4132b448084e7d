import Synchronization

/// Work that several callers need at once and that is done once for all of them.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let tasks = Mutex<[Key: Task<Value, any Error>]>([:])

  /// Creates an instance with no work in progress.
  public init() {}

  /// Does the work of a key, or waits for its result if it is under way.
  ///
  /// The work goes on when a caller is cancelled: others may wait for it, or the caller may ask again.
  public func run(
    _ key: Key, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = tasks.withLock { tasks in
      if let task = tasks[key] { return task }
      let task = Task {
        defer { self.tasks.withLock { $0[key] = nil } }
        return try await work()
      }
      tasks[key] = task
      return task
    }
    return try await task.value
  }
}
