import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling

/// Held chunks, which are compared before one is accepted, and distrusted workers.
extension Ledger {
  /// Stores a chunk that will be compared with another worker's.
  func hold(
    _ chunk: DeliveredChunk, under grant: Grant, by deliverer: Deliverer, at date: Date
  ) throws {
    try noteDelivery(of: chunk.sha256, under: grant, by: deliverer, at: date)
    try database.run(
      """
      INSERT INTO held_chunks (job, segment, delivery, lease, bytes)
      VALUES (?1, ?2, \(latestDelivery(of: "?3")), ?4, ?5)
      """, grant.segment.job.rawValue, grant.segment.index, chunk.sha256.description,
      grant.token.rawValue, chunk.byteCount)
    try keep(chunk.concealments, of: chunk.sha256)
  }

  /// Gives a segment the held chunk that an audit confirmed, with its first deliverer.
  func confirm(_ chunk: Digest, of segment: SegmentID) throws {
    try database.run(
      """
      UPDATE segments SET (state, worker, chunk_sha256, chunk_bytes, delivery) = (
        SELECT 'completed', deliveries.worker, deliveries.sha256, held_chunks.bytes, deliveries.id
        FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
        WHERE held_chunks.job = ?1 AND held_chunks.segment = ?2 AND deliveries.sha256 = ?3
        ORDER BY deliveries.id LIMIT 1)
      WHERE job = ?1 AND number = ?2
      """, segment.job.rawValue, segment.index, chunk.description)
    try countConcealed(in: segment)
    try database.run(
      """
      UPDATE attempts SET outcome = 'superseded'
      WHERE job = ?1 AND segment = ?2 AND outcome IS NULL
      """, segment.job.rawValue, segment.index)
    try dropHeld(of: segment)
  }

  /// Drops a segment's held chunks, or only those of one worker.
  func dropHeld(of segment: SegmentID, by worker: WorkerID? = nil) throws {
    try database.run(
      """
      DELETE FROM held_chunks WHERE job = ?1 AND segment = ?2 AND (EXISTS (
        SELECT 1 FROM deliveries WHERE id = held_chunks.delivery AND worker = ?3) OR ?3 IS NULL)
      """, segment.job.rawValue, segment.index, worker?.rawValue)
  }

  /// Drops all held chunks of a job.
  func dropHeld(of job: JobID) throws {
    try database.run("DELETE FROM held_chunks WHERE job = ?1", job.rawValue)
  }

  /// The size of a segment's held chunk in bytes, or `nil` if the segment does not hold it.
  package func byteCount(ofHeld chunk: Digest, _ segment: SegmentID) throws -> Int64? {
    try database.first(
      """
      SELECT bytes FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
      WHERE held_chunks.job = ?1 AND held_chunks.segment = ?2 AND sha256 = ?3
      """, segment.job.rawValue, segment.index, chunk.description
    ) { try $0.get("bytes") }
  }

  /// The segments that hold a chunk for an audit, each with the worker that delivered it.
  package func holds(of chunk: Digest) throws -> [ConcernedHold] {
    try database.rows(
      """
      SELECT held_chunks.job AS job, held_chunks.segment AS number, worker
      FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
      WHERE sha256 = ?1 ORDER BY deliveries.id
      """, chunk.description
    ) { row in
      ConcernedHold(
        segment: SegmentID(job: JobID(rawValue: try row.get("job")), index: try row.get("number")),
        worker: WorkerID(rawValue: try row.get("worker")))
    }
  }

  /// The held chunks of a job by segment, in the order of their delivery.
  func heldChunks(of job: JobID) throws -> [Int: [HeldChunk]] {
    var held: [Int: [HeldChunk]] = [:]
    try database.each(
      """
      SELECT held_chunks.segment AS number, deliveries.worker AS worker, sha256, workers.name AS name,
        workers.token AS token
      FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
      JOIN workers ON workers.id = deliveries.worker
      WHERE held_chunks.job = ?1 ORDER BY deliveries.id
      """, job.rawValue
    ) { row in
      guard let sha256 = Digest(hex: try row.get("sha256") as String) else { return }
      held[try row.get("number"), default: []].append(
        HeldChunk(
          worker: WorkerID(rawValue: try row.get("worker")),
          identity: WorkerIdentity(name: try row.get("name"), token: try row.get("token")),
          sha256: sha256))
    }
    return held
  }

  /// Records that a worker is distrusted, and why.
  package func distrust(_ worker: WorkerIdentity, _ reason: String, at date: Date) throws {
    try trust(worker)
    try database.run(
      "INSERT INTO distrusted_workers (name, token, reason, since) VALUES (?1, ?2, ?3, ?4)",
      worker.name, worker.token, reason, date.timeIntervalSince1970)
  }

  /// Removes the record that a worker is distrusted.
  func trust(_ worker: WorkerIdentity) throws {
    try database.run(
      "DELETE FROM distrusted_workers WHERE name = ?1 AND token IS NOT DISTINCT FROM ?2",
      worker.name, worker.token)
  }

  package func distrustedWorkers() throws -> [WorkerIdentity] {
    try database.rows("SELECT name, token FROM distrusted_workers ORDER BY since") {
      WorkerIdentity(name: try $0.get("name"), token: try $0.get("token"))
    }
  }

  /// The reason why a worker is distrusted, or `nil` if it is trusted.
  package func distrust(of worker: WorkerIdentity) throws -> String? {
    try database.first(
      "SELECT reason FROM distrusted_workers WHERE name = ?1 AND token IS NOT DISTINCT FROM ?2",
      worker.name,
      worker.token
    ) { try $0.get("reason") }
  }
}
