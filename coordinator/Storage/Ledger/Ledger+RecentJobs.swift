import SQLite
import Scheduling

extension Ledger {
  /// The jobs that have not come to an end, and the last jobs whatever their states, the oldest first.
  ///
  /// - Parameters:
  ///   - submitter: the submitter whose jobs are meant; `nil` for every job.
  ///   - count: the number of the last jobs.
  func recentJobs(of submitter: String?, last count: Int) throws -> [JobID] {
    try database.rows(
      """
      SELECT id, number FROM jobs
      WHERE state NOT IN ('completed', 'failed', 'cancelled')
        AND (?1 IS NULL OR submitter = ?1)
      UNION
      SELECT id, number FROM (
        SELECT id, number FROM jobs WHERE ?1 IS NULL OR submitter = ?1
        ORDER BY number DESC LIMIT ?2)
      ORDER BY number
      """, submitter, count
    ) { JobID(rawValue: try $0.get("id")) }
  }
}
