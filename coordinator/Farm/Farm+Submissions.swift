import Preparation
import Scheduling

/// The submissions of jobs that run.
extension Farm {
  /// The number of bytes that the ledger stores about the files of a job's project.
  func submissionSize(of id: JobID) throws -> Int { try ledger.submissionSize(of: id) }

  /// A job's submission, if the job exists. A large one is read while other calls are answered; ``SubmissionRoom`` limits
  /// how many are.
  func storedSubmission(of id: JobID) async throws -> StoredSubmission? {
    guard try ledger.submissionSize(of: id) > SubmissionRoom.freeSize else {
      return try ledger.storedSubmission(of: id)
    }
    return try await snapshot { try $0.storedSubmission(of: id) }
  }

  func submission(of id: JobID) async throws -> StoredSubmission {
    try Task.checkCancellation()
    guard let submission = try await storedSubmission(of: id) else { throw CancellationError() }
    return submission
  }
}
