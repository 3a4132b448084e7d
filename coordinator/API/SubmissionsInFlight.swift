import Synchronization

/// The submissions with a key that are being read. One that is sent again meanwhile, because its client got no answer,
/// waits for the same result and is not read a second time.
final class SubmissionsInFlight: Sendable {
  /// A submission under its key.
  private struct Submission: Hashable {
    let submitter: String?
    let key: SubmissionKey
  }

  private let tasks = Mutex<[Submission: Task<Acceptance, any Error>]>([:])

  /// Accepts a submission, or waits until the same one is accepted.
  ///
  /// The work goes on if a client disconnects, because the client will ask for the result again.
  func accept(
    _ key: SubmissionKey, of submitter: String?,
    _ body: @escaping @Sendable () async throws -> Acceptance
  ) async throws -> Acceptance {
    let submission = Submission(submitter: submitter, key: key)
    let task = tasks.withLock { tasks in
      if let task = tasks[submission] { return task }
      let task = Task {
        defer { self.tasks.withLock { $0[submission] = nil } }
        return try await body()
      }
      tasks[submission] = task
      return task
    }
    return try await task.value
  }
}
