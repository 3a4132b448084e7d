import FarmAPI
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

  /// Records the outcome of an attempt.
  private func note(_ grant: Grant, _ outcome: String) throws {
    try database.run(
      "UPDATE attempts SET outcome = ?2 WHERE token = ?1", grant.token.rawValue, outcome)
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

  /// Ends an attempt.
  func end(_ grant: Grant, _ outcome: AttemptOutcome) throws {
    try note(grant, outcome.name)
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
  /// The outcome as the ledger stores it.
  fileprivate var name: String {
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
