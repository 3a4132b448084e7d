import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling
import Timeline

/// Writes the transitions of entire jobs.
extension Ledger {
  /// Writes a transition of a job; does nothing for others.
  func writeJob(_ transition: Transition) throws {
    switch transition {
    case .jobAdvanced(let job, let state):
      try database.run("UPDATE jobs SET state = ?2 WHERE id = ?1", job.rawValue, state)
    case .jobPrioritized(let job, let priority):
      try database.run("UPDATE jobs SET priority = ?2 WHERE id = ?1", job.rawValue, priority)
    case .jobDeleted(let job): try delete(job)
    case .soundMixed(let job, let report, let concealed):
      let loudness = try report.map { try FarmCoding.encode($0) }
      try database.run("UPDATE jobs SET loudness = ?2 WHERE id = ?1", job.rawValue, loudness)
      try keep(concealed, inSoundOf: job)
    case .jobFailed(let job, let failure, let date):
      try database.run(
        """
        UPDATE jobs SET state = 'failed', failure_code = ?2, failure_message = ?3, finished_at = ?4
        WHERE id = ?1
        """, job.rawValue, failure.code.rawValue, shown(failure.message), date.timeIntervalSince1970
      )
      try dropHeld(of: job)
      try keepProgress(of: job)
    case .jobCancelled(let job, let date):
      try database.run(
        "UPDATE jobs SET state = 'cancelled', finished_at = ?2 WHERE id = ?1", job.rawValue,
        date.timeIntervalSince1970)
      try dropHeld(of: job)
      try keepProgress(of: job)
    case .jobCompleted(let job, let output, let date):
      try database.run(
        """
        UPDATE jobs SET state = 'completed', output_name = ?2, output_bytes = ?3,
          output_sha256 = ?4, finished_at = ?5 WHERE id = ?1
        """, job.rawValue, output.fileName, output.byteCount, output.sha256.description,
        date.timeIntervalSince1970)
      try dropRecord(of: job)
      try keepProgress(of: job)
    case .outputLost(let job, let failure, let date):
      try database.run(
        """
        UPDATE jobs SET state = 'failed', failure_code = ?2, failure_message = ?3, finished_at = ?4
        WHERE id = ?1 AND state = 'completed'
        """, job.rawValue, failure.code.rawValue, shown(failure.message), date.timeIntervalSince1970
      )
    case .outputDeleted(let job, let deletion):
      try database.run(
        """
        UPDATE jobs SET output_name = NULL, output_bytes = NULL, output_sha256 = NULL,
          output_deletion = ?2 WHERE id = ?1 AND state = 'completed' AND output_name IS NOT NULL
        """, job.rawValue, FarmCoding.encode(deletion))
    case .outputRecovered(let job, let digest):
      guard try self.job(job)?.lostOutput?.sha256 == digest else { break }
      try restoreRecord(of: job)
      try database.run(
        """
        UPDATE jobs SET state = 'completed', failure_code = NULL, failure_message = NULL
        WHERE id = ?1
        """, job.rawValue)
    case .lostOutputForgotten(let job):
      try dropRecord(of: job)
    case .jobRetried(let job):
      try keepRecord(of: job)
      try retry(job)
    case .jobRestarted(let job):
      try restart(job)
    default: break
    }
  }

  /// Returns a job that had all its chunks to the rendering state.
  func resumeRendering(_ job: JobID) throws {
    try database.run(
      "UPDATE jobs SET state = 'rendering' WHERE id = ?1 AND state = 'assembling'", job.rawValue)
  }

  /// Deletes a job. The rows of its other tables go with it. The records of its deliveries stay until retention finds
  /// that no chunk needs them.
  private func delete(_ job: JobID) throws {
    let plans = try database.rows(
      """
      SELECT plan FROM jobs WHERE id = ?1 AND plan IS NOT NULL
      UNION SELECT plan FROM lost_outputs WHERE job = ?1 AND plan IS NOT NULL
      """, job.rawValue
    ) { try $0.get("plan") as String }
    try database.run("DELETE FROM jobs WHERE id = ?1", job.rawValue)
    for plan in plans {
      try database.run(
        """
        DELETE FROM plans WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM jobs WHERE plan = ?1)
          AND NOT EXISTS (SELECT 1 FROM lost_outputs WHERE plan = ?1)
        """, plan)
    }
  }

  private func restart(_ job: JobID) throws {
    try dropHeld(of: job)
    try database.run(
      "UPDATE jobs SET state = 'rendering', fingerprint = NULL WHERE id = ?1", job.rawValue)
    try database.run(
      """
      UPDATE segments SET state = 'pending', expiries = 0, worker = NULL, chunk_sha256 = NULL,
        chunk_bytes = NULL, delivery = NULL, concealed = NULL WHERE job = ?1
      """, job.rawValue)
    try database.run(
      "UPDATE attempts SET outcome = 'revoked' WHERE job = ?1 AND outcome IS NULL", job.rawValue)
    try database.run("DELETE FROM failures WHERE job = ?1", job.rawValue)
  }

  private func retry(_ job: JobID) throws {
    try database.run(
      """
      UPDATE jobs SET state = 'queued', failure_code = NULL, failure_message = NULL,
        finished_at = NULL, final_progress = NULL, planning_tries = 0 WHERE id = ?1
      """, job.rawValue)
    try database.run(
      """
      UPDATE segments SET state = 'pending', expiries = 0 WHERE job = ?1 AND state <> 'completed'
      """, job.rawValue)
    try database.run(
      "UPDATE attempts SET outcome = 'revoked' WHERE job = ?1 AND outcome IS NULL", job.rawValue)
    try database.run("DELETE FROM failures WHERE job = ?1", job.rawValue)
  }
}
