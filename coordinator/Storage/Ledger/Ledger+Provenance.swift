import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling

/// A chunk that is kept for later jobs.
package struct KeptKey: Hashable, Sendable {
  /// The content key of the segment.
  package let key: String
  package let sha256: Digest

  package init(key: String, sha256: Digest) {
    self.key = key
    self.sha256 = sha256
  }
}

/// A held chunk, which is under audit.
package struct ConcernedHold: Hashable, Sendable {
  package let segment: SegmentID
  package let worker: WorkerID

  package init(segment: SegmentID, worker: WorkerID) {
    self.segment = segment
    self.worker = worker
  }
}

/// A segment that has a selected chunk.
package struct ConcernedSegment: Hashable, Sendable {
  package let segment: SegmentID
  package let sha256: Digest

  package init(segment: SegmentID, sha256: Digest) {
    self.segment = segment
    self.sha256 = sha256
  }
}

extension Ledger {
  /// Records the deliverer of a chunk.
  func noteDelivery(
    of chunk: Digest, under grant: Grant, by deliverer: Deliverer, at date: Date
  ) throws {
    try database.run(
      """
      INSERT INTO deliveries (sha256, worker, token, token_name, job, segment, delivered_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, chunk.description, grant.worker.rawValue, deliverer.token, deliverer.name,
      grant.segment.job.rawValue, grant.segment.index, date.timeIntervalSince1970)
  }

  /// The expression for the id of the latest delivery of a chunk.
  ///
  /// - Parameter chunk: the parameter with the digest.
  func latestDelivery(of chunk: String) -> String {
    "(SELECT max(id) FROM deliveries WHERE sha256 = \(chunk))"
  }

  /// The number of deliveries that ``dropUnneededDeliveries(after:)`` examines in one call.
  package static let deliveryRange = 2000

  /// Deletes the records of deliveries in a range of ids that nothing refers to: no segment of any job has the chunk,
  /// and it is neither held for an audit nor kept for later jobs. The deliverers of a finished job's chunks stay known.
  ///
  /// A ledger may have millions of records, and one call blocks all others.
  ///
  /// - Parameter id: the id after which the range begins.
  /// - Returns: the last id of the range, or `nil` if no record has a larger id than `id`.
  package func dropUnneededDeliveries(after id: Int = 0) throws -> Int? {
    let last = try database.first(
      """
      SELECT max(id) AS last FROM (
        SELECT id FROM deliveries WHERE id > ?1 ORDER BY id LIMIT ?2
      ) AS range
      """, id, Self.deliveryRange
    ) { try $0.get("last") as Int? }
    guard let last = last ?? nil else { return nil }
    // A kept chunk may have been delivered several times. Which submitters may reuse it depends on all of the deliveries.
    try database.run(
      """
      DELETE FROM deliveries
      WHERE id > ?1 AND id <= ?2
        AND NOT EXISTS (SELECT 1 FROM segments WHERE delivery = deliveries.id)
        AND NOT EXISTS (SELECT 1 FROM lost_segments WHERE delivery = deliveries.id)
        AND NOT EXISTS (SELECT 1 FROM held_chunks WHERE delivery = deliveries.id)
        AND NOT EXISTS (SELECT 1 FROM kept_chunks WHERE delivery = deliveries.id)
        AND NOT EXISTS (SELECT 1 FROM kept_chunks WHERE sha256 = deliveries.sha256)
      """, id, last)
    return last
  }

  /// Finds where selected chunks are used.
  package func chunks(of selection: ChunkSelection) throws -> ConcernedChunks {
    let (deliveries, values) = selection.query
    var concerned = ConcernedChunks()
    try database.each(
      "SELECT content_key, sha256 FROM kept_chunks WHERE delivery IN (\(deliveries))",
      bind: values
    ) { row in
      guard let sha256 = Digest(hex: try row.get("sha256") as String) else { return }
      concerned.kept.append(KeptKey(key: try row.get("content_key"), sha256: sha256))
    }
    try database.each(
      """
      SELECT job, segments.number AS number, chunk_sha256 FROM segments
      JOIN jobs ON jobs.id = segments.job
      WHERE segments.state = 'completed' AND jobs.state <> 'completed'
        AND delivery IN (\(deliveries)) ORDER BY jobs.number, segments.number
      """, bind: values
    ) { row in
      guard let sha256 = Digest(hex: try row.get("chunk_sha256") as String) else { return }
      let segment = SegmentID(
        job: JobID(rawValue: try row.get("job")), index: try row.get("number"))
      concerned.segments.append(ConcernedSegment(segment: segment, sha256: sha256))
    }
    try database.each(
      """
      SELECT held_chunks.job AS job, held_chunks.segment AS number, worker
      FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
      WHERE delivery IN (\(deliveries))
      """, bind: values
    ) { row in
      let segment = SegmentID(
        job: JobID(rawValue: try row.get("job")), index: try row.get("number"))
      concerned.held.append(
        ConcernedHold(segment: segment, worker: WorkerID(rawValue: try row.get("worker"))))
    }
    try database.each(
      """
      SELECT jobs.id AS id, jobs.name AS name, count(*) AS count FROM segments
      JOIN jobs ON jobs.id = segments.job
      WHERE jobs.state = 'completed' AND delivery IN (\(deliveries))
      GROUP BY jobs.number ORDER BY jobs.number
      """, bind: values
    ) { row in
      concerned.finished.append(
        ConcernedJob(
          id: try row.get("id"), name: try row.get("name"), segments: try row.get("count")))
    }
    try database.each(
      "SELECT DISTINCT job FROM lost_segments WHERE delivery IN (\(deliveries)) ORDER BY job",
      bind: values
    ) { concerned.lost.append(JobID(rawValue: try $0.get("job"))) }
    return concerned
  }
}
