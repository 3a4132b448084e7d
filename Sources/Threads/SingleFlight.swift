import Synchronization

/// Does work once for all callers that need it at the same time.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let tasks = Mutex<[Key: Task<Value, any Error>]>([:])

  /// Creates an instance with no work in progress.
  public init() {}

  /// Does the work for a key, or waits for its result if it is in progress.
  ///
  /// The work continues if a caller is cancelled, because others may wait for it or the caller may ask again.
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
