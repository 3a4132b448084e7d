import FarmAPI
import Foundation
import Scheduling

/// Records the outcomes of attempts and the changes to segments' chunks.
extension Ledger {
  /// Drops a segment's chunk, so that no other job uses it either.
  func drop(_ segment: SegmentID) throws {
    try database.run(
      """
      DELETE FROM kept_chunks WHERE sha256 IN (
        SELECT chunk_sha256 FROM segments WHERE job = ?1 AND number = ?2)
      """, segment.job.rawValue, segment.index)
    try update(
      segment,
      """
      state = 'pending', worker = NULL, chunk_sha256 = NULL, chunk_bytes = NULL, delivery = NULL,
        concealed = NULL
      """)
  }

  /// Begins an attempt.
  func begin(_ grant: Grant, at date: Date) throws {
    try update(
      grant.segment, "state = 'leased', attempts = ?3, worker = ?4", grant.attempt,
      grant.worker.rawValue)
    try database.run(
      """
      INSERT INTO attempts (token, job, segment, number, worker, is_copy, started_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, grant.token.rawValue, grant.segment.job.rawValue, grant.segment.index, grant.attempt,
      grant.worker.rawValue, grant.isCopy, date.timeIntervalSince1970)
    try database.run(
      "UPDATE jobs SET started_at = ?2 WHERE id = ?1 AND started_at IS NULL",
      grant.segment.job.rawValue, date.timeIntervalSince1970)
  }

  /// Records the log of an attempt.
  func keep(_ log: String, of grant: Grant) throws {
    try database.run(
      """
      INSERT INTO attempt_logs (lease, log) SELECT token, ?2 FROM attempts WHERE token = ?1
      ON CONFLICT (lease) DO UPDATE SET log = excluded.log
      """, grant.token.rawValue, shown(log))
  }

  /// Records a worker's failure on a segment.
  func keep(_ report: FailureReport, of worker: WorkerID, on segment: SegmentID) throws {
    try database.run(
      """
      INSERT INTO failures (job, segment, attempt, worker, code, message, is_permanent)
      SELECT ?1, ?2, attempts, ?3, ?4, ?5, ?6 FROM segments WHERE job = ?1 AND number = ?2
      """, segment.job.rawValue, segment.index, worker.rawValue, report.code.rawValue,
      shown(report.message),
      report.isPermanent)
  }

  func end(
    _ grant: Grant, _ outcome: AttemptOutcome, framesRendered: Int?, at date: Date
  ) throws {
    let report = outcome.report
    try database.run(
      """
      UPDATE attempts SET outcome = ?2, ended_at = ?3, frames = ?4, code = ?5, message = ?6
      WHERE token = ?1
      """, grant.token.rawValue, outcome.name, date.timeIntervalSince1970, framesRendered,
      report?.code.rawValue, report.map { shown($0.message) })
    // The segment stays as it is if another attempt is running or has delivered the chunk.
    try database.run(
      """
      UPDATE segments SET state = 'pending' WHERE job = ?1 AND number = ?2 AND state = 'leased'
        AND NOT EXISTS (
          SELECT 1 FROM attempts WHERE job = ?1 AND segment = ?2 AND outcome IS NULL)
      """, grant.segment.job.rawValue, grant.segment.index)
    switch outcome {
    case .completed, .held, .heldUp, .givenBack, .revoked, .distrusted, .superseded: break
    case .expired: try update(grant.segment, "expiries = expiries + 1")
    case .failed(let report), .stuck(let report):
      try keep(report, of: grant.worker, on: grant.segment)
    }
  }
}

extension AttemptOutcome {
  /// The worker's report, if the attempt failed.
  package var report: FailureReport? {
    switch self {
    case .failed(let report), .stuck(let report): report
    default: nil
    }
  }

  /// The outcome as ledgers store it and statuses show it.
  package var name: String {
    switch self {
    case .completed: "completed"
    case .held: "held"
    case .failed: "failed"
    case .expired: "expired"
    case .stuck: "stuck"
    case .heldUp: "held up"
    case .superseded: "superseded"
    case .givenBack: "given back"
    case .revoked: "revoked"
    case .distrusted: "distrusted"
    }
  }
}
