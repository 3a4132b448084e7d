import FarmAPI
import Foundation
import SQL
import Scheduling

/// The course of attempts.
extension Ledger {
  private static func query(withLogs hasLogs: Bool) -> String {
    """
    SELECT attempts.*, workers.name AS worker_name, end_frame - first_frame AS frame_count,
      \(hasLogs ? "log" : "NULL AS log")
    FROM attempts
    JOIN segments ON segments.job = attempts.job AND segments.number = attempts.segment
    JOIN workers ON workers.id = attempts.worker
    \(hasLogs ? "LEFT JOIN attempt_logs ON lease = attempts.token" : "")
    """
  }

  /// The attempts at a segment with their logs, newest first.
  package func attempts(at segment: SegmentID, limit: Int) throws -> [RecordedAttempt] {
    try database.rows(
      """
      \(Self.query(withLogs: true)) WHERE attempts.job = ?1 AND attempts.segment = ?2
      ORDER BY attempts.number DESC LIMIT ?3
      """, segment.job.rawValue, segment.index, limit
    ) { try Self.attempt($0) }
  }

  /// Whether the attempt under a lease has ended; `nil` if the ledger does not know it.
  package func hasEnded(_ token: LeaseToken) throws -> Bool? {
    try database.first(
      "SELECT outcome IS NOT NULL AS has_ended FROM attempts WHERE token = ?1", token.rawValue
    ) { try $0.get("has_ended") }
  }

  /// A page of the attempts at all segments of a job, in order of their start.
  package func attempts(
    of job: JobID, after skipped: Int, limit: Int, withLogs hasLogs: Bool
  ) throws -> [RecordedAttempt] {
    try database.rows(
      """
      \(Self.query(withLogs: hasLogs)) WHERE attempts.job = ?1
      ORDER BY attempts.started_at NULLS FIRST, attempts.segment, attempts.number LIMIT ?3 OFFSET ?2
      """, job.rawValue, skipped, limit
    ) { try Self.attempt($0) }
  }

  private static func attempt(_ row: borrowing Row) throws -> RecordedAttempt {
    let startedAt: Double? = try row.get("started_at")
    let endedAt: Double? = try row.get("ended_at")
    let code: String? = try row.get("code")
    let outcome: String? = try row.get("outcome")
    let frameCount: Int = try row.get("frame_count")
    let frames: Int? = try row.get("frames")
    let isWhole = outcome == AttemptOutcome.completed.name || outcome == AttemptOutcome.held.name
    return RecordedAttempt(
      token: LeaseToken(rawValue: try row.get("token")),
      status: SegmentAttempt(
        segment: try row.get("segment"), number: try row.get("number"),
        worker: try row.get("worker_name"), workerID: try row.get("worker"),
        isCopy: try row.get("is_copy") ? true : nil,
        startedAt: startedAt.map { Date(timeIntervalSince1970: $0) },
        endedAt: endedAt.map { Date(timeIntervalSince1970: $0) }, outcome: outcome,
        framesRendered: isWhole ? frameCount : frames, frameCount: frameCount,
        code: code.map { FailureCode(rawValue: $0) }, message: try row.get("message"),
        log: try row.get("log")))
  }
}
