import Crypto
import FarmAPI
import SQL
import Scheduling

/// Completed jobs whose finished files were lost. If such a job is retried, the ledger keeps its record, because the
/// file may come back after the retry was cancelled or has failed.
extension Ledger {
  private static let jobColumns = """
    plan, plan_file, frame_count, frame_duration, frame_rate, fingerprint, loudness,
    concealed_sounds, final_progress
    """
  /// The large parts of a job that the record contains, in columns with their names.
  private static let blobs: [JobBlob] = [.planFacts, .concealedSound, .firstConcealedSound]
  private static let segmentColumns = """
    job, number, first_frame, end_frame, state, attempts, expiries, worker, chunk_sha256,
    chunk_bytes, delivery, cost, content, plan_offset, plan_length, plan_digest, assets,
    peak_memory, method
    """

  /// Whether a job's lost file contains only chunks that have not been dropped since.
  ///
  /// A chunk that is no longer trusted is dropped from a failed job, and removes the record of a retried one.
  package func isTrusted(lostOutputOf job: JobRow) throws -> Bool {
    guard job.lostOutput != nil else { return false }
    if job.hasRecord { return true }
    return try progress(of: job.id).segments.completed == job.finalProgress?.segments.completed
  }

  /// Keeps the record of a completed job whose file was lost, before a retry changes it. An earlier retry may already
  /// have done so.
  func keepRecord(of id: JobID) throws {
    guard let job = try job(id), !job.hasRecord, try isTrusted(lostOutputOf: job) else { return }
    let names = Self.blobs.map(\.rawValue)
    let copies = names.map { "(SELECT bytes FROM job_blobs WHERE job = ?1 AND name = '\($0)')" }
    try database.run(
      """
      INSERT INTO lost_outputs (job, \(Self.jobColumns), \(names.joined(separator: ", ")))
      SELECT id, \(Self.jobColumns), \(copies.joined(separator: ", ")) FROM jobs WHERE id = ?1
      """, id.rawValue)
    try database.run(
      """
      INSERT INTO lost_segments (\(Self.segmentColumns))
      SELECT \(Self.segmentColumns) FROM segments WHERE job = ?1
      """, id.rawValue)
  }

  /// Restores the record of a job whose file is back, if a retry kept it.
  func restoreRecord(of id: JobID) throws {
    guard try job(id)?.hasRecord == true else { return }
    try database.run(
      """
      UPDATE jobs SET (\(Self.jobColumns)) = (
        SELECT \(Self.jobColumns) FROM lost_outputs WHERE job = ?1)
      WHERE id = ?1
      """, id.rawValue)
    for blob in Self.blobs {
      try keep(nil, as: blob, of: id)
      try database.run(
        """
        INSERT INTO job_blobs (job, name, bytes)
        SELECT job, ?2, \(blob.rawValue) FROM lost_outputs
        WHERE job = ?1 AND \(blob.rawValue) IS NOT NULL
        """, id.rawValue, blob)
    }
    try database.run("DELETE FROM segments WHERE job = ?1", id.rawValue)
    try database.run(
      """
      INSERT INTO segments (\(Self.segmentColumns))
      SELECT \(Self.segmentColumns) FROM lost_segments WHERE job = ?1
      """, id.rawValue)
    try countConcealed(in: id)
    try dropRecord(of: id)
  }

  /// Removes a job's record, because another file has replaced the lost one or the lost one is no longer trusted.
  func dropRecord(of id: JobID) throws {
    try database.run("DELETE FROM lost_outputs WHERE job = ?1", id.rawValue)
  }
}
