import Foundation
import SQL
import Scheduling

extension Ledger {
  /// The unfinished jobs and the most recent jobs in any state, oldest first.
  ///
  /// - Parameters:
  ///   - submitter: return only this submitter's jobs; `nil` for every job.
  ///   - count: the number of most recent jobs.
  package func recentJobs(of submitter: String?, last count: Int) throws -> [JobID] {
    try database.rows(
      """
      SELECT id, number FROM jobs
      WHERE state NOT IN ('completed', 'failed', 'cancelled')
        AND (submitter = ?1 OR ?1 IS NULL)
      UNION
      SELECT id, number FROM (
        SELECT id, number FROM jobs WHERE submitter = ?1 OR ?1 IS NULL
        ORDER BY number DESC LIMIT ?2) AS latest
      ORDER BY number
      """, submitter, count
    ) { JobID(rawValue: try $0.get("id")) }
  }

  /// The jobs that ended before a date, the oldest first; only completed jobs with their files if `withOutput`.
  package func endedJobs(before date: Date, withOutput: Bool) throws -> [JobID] {
    try database.rows(
      """
      SELECT id FROM jobs WHERE state IN ('completed', 'failed', 'cancelled') AND finished_at < ?1
        AND (?2 = 0 OR (state = 'completed' AND output_name IS NOT NULL))
      ORDER BY finished_at, number
      """, date.timeIntervalSince1970, withOutput ? 1 : 0
    ) { JobID(rawValue: try $0.get("id")) }
  }
}
