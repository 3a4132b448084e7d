import FarmAPI
import Scheduling

/// An attempt with the token of its lease, which stays in the coordinator.
package struct RecordedAttempt: Hashable, Sendable {
  package let token: LeaseToken
  package var status: SegmentAttempt

  package init(token: LeaseToken, status: SegmentAttempt) {
    self.token = token
    self.status = status
  }
}

/// The ledger's records of attempts at segments.
package protocol AttemptRecords {
  /// The attempts at a segment with their logs, newest first.
  ///
  /// - Parameter limit: the maximum number of attempts.
  func attempts(at segment: SegmentID, limit: Int) throws -> [RecordedAttempt]

  /// Whether the attempt under a lease has ended; `nil` if the ledger does not know it.
  func hasEnded(_ token: LeaseToken) throws -> Bool?

  /// A page of the attempts at all segments of a job, in order of their start.
  ///
  /// - Parameters:
  ///   - skipped: the number of attempts before the page.
  ///   - limit: the maximum number of attempts.
  ///   - hasLogs: whether to read the logs of the attempts.
  func attempts(
    of job: JobID, after skipped: Int, limit: Int, withLogs hasLogs: Bool
  ) throws -> [RecordedAttempt]
}
