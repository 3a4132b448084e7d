import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling

/// An accepted chunk that later jobs may use.
package struct KeptChunk: Hashable, Sendable {
  /// The content key: everything that decides the bytes.
  package let key: Digest
  /// The libraries and encoders that made it, which are part of the key.
  package let fingerprint: String
  package let sha256: Digest
  package let byteCount: Int64

  package init(key: Digest, fingerprint: String, sha256: Digest, byteCount: Int64) {
    self.key = key
    self.fingerprint = fingerprint
    self.sha256 = sha256
    self.byteCount = byteCount
  }
}

/// A use that needs a chunk's file.
package enum ChunkUse: Hashable, Sendable {
  /// A job without a finished file has the chunk. It may be retried if it has ended.
  case job(number: Int, JobState, endedAt: Double?)
  /// Later jobs may reuse the chunk.
  case kept(key: String, usedAt: Double)
  /// The chunk is under audit.
  case held(ConcernedHold)
}

extension Ledger {
  /// The kept chunks with the given content keys.
  ///
  /// - Parameter audience: the submitters whose jobs the chunks must have been delivered for.
  package func keptChunks(
    under keys: [Digest], for audience: ReuseAudience = .anyone
  ) throws -> [Digest: KeptChunk] {
    let (isLimited, submitter): (Bool, String?) =
      switch audience {
      case .anyone: (false, nil)
      case .submitter(let name): (true, name)
      }
    var chunks: [Digest: KeptChunk] = [:]
    for key in keys where chunks[key] == nil {
      let chunk = try database.first(
        """
        SELECT fingerprint, sha256, bytes FROM kept_chunks WHERE content_key = ?1
          AND (?2 = 0 OR EXISTS (
            SELECT 1 FROM deliveries JOIN jobs ON jobs.id = deliveries.job
            WHERE deliveries.sha256 = kept_chunks.sha256 AND jobs.submitter IS NOT DISTINCT FROM ?3))
        """, key.description, isLimited, submitter
      ) { row -> KeptChunk? in
        guard let sha256 = Digest(hex: try row.get("sha256") as String) else { return nil }
        return KeptChunk(
          key: key, fingerprint: try row.get("fingerprint"), sha256: sha256,
          byteCount: try row.get("bytes"))
      }
      chunks[key] = chunk ?? nil
    }
    return chunks
  }

  /// The fingerprints of all kept chunks.
  package func keptFingerprints() throws -> [String] {
    try database.rows("SELECT DISTINCT fingerprint FROM kept_chunks ORDER BY fingerprint") {
      try $0.get(0)
    }
  }

  /// The chunks that are kept only for later jobs, least recently used first.
  package func spareChunks() throws -> [Digest] {
    try database.rows(
      """
      SELECT sha256 FROM kept_chunks WHERE NOT EXISTS (
        SELECT 1 FROM segments JOIN jobs ON jobs.id = segments.job
        WHERE segments.chunk_sha256 = kept_chunks.sha256 AND jobs.state <> 'completed')
        AND NOT EXISTS (
          SELECT 1 FROM held_chunks JOIN deliveries ON deliveries.id = held_chunks.delivery
          WHERE deliveries.sha256 = kept_chunks.sha256)
      ORDER BY used_at, content_key
      """
    ) { Digest(hex: try $0.get(0) as String) }.compactMap(\.self)
  }

  /// Keeps a chunk for later jobs, or records that a kept one was used.
  func keep(_ chunk: KeptChunk, at date: Date) throws {
    try database.run(
      """
      INSERT INTO kept_chunks (content_key, fingerprint, sha256, bytes, used_at)
      VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (content_key) DO UPDATE
        SET sha256 = excluded.sha256, bytes = excluded.bytes, used_at = excluded.used_at
      """, chunk.key.description, chunk.fingerprint, chunk.sha256.description, chunk.byteCount,
      date.timeIntervalSince1970)
  }

  /// Keeps a segment's chunk, which was just delivered, for later jobs.
  func keep(_ chunk: KeptChunk, of segment: SegmentID, at date: Date) throws {
    try database.run(
      """
      INSERT INTO kept_chunks (content_key, fingerprint, sha256, bytes, used_at, delivery)
      VALUES (?1, ?2, ?3, ?4, ?5, (SELECT delivery FROM segments WHERE job = ?6 AND number = ?7))
      ON CONFLICT (content_key) DO UPDATE
        SET sha256 = excluded.sha256, bytes = excluded.bytes, used_at = excluded.used_at,
          delivery = excluded.delivery
      """, chunk.key.description, chunk.fingerprint, chunk.sha256.description, chunk.byteCount,
      date.timeIntervalSince1970, segment.job.rawValue, segment.index)
  }

  /// Stops keeping chunks for later jobs.
  package func forget(_ chunks: [Digest]) throws {
    guard !chunks.isEmpty else { return }
    try database.transaction {
      for sha256 in chunks {
        try database.run("DELETE FROM kept_chunks WHERE sha256 = ?1", sha256.description)
      }
    }
  }

  /// The number of records that ``dropKeptChunks(unusedSince:)`` deletes in one call.
  package static let keptRange = 500

  /// Deletes records of kept chunks that no job has used since a date.
  ///
  /// - Returns: whether there may be more.
  package func dropKeptChunks(unusedSince date: Date) throws -> Bool {
    try database.change(
      """
      DELETE FROM kept_chunks WHERE content_key IN (
        SELECT content_key FROM kept_chunks WHERE used_at < ?1 ORDER BY used_at, content_key LIMIT ?2)
      """, date.timeIntervalSince1970, Self.keptRange) == Self.keptRange
  }

  /// All uses that need a chunk's file, found through indexes.
  package func uses(of chunk: Digest) throws -> [ChunkUse] {
    var uses = try database.rows(
      """
      SELECT number, state, finished_at FROM jobs
      WHERE id IN (SELECT job FROM segments WHERE chunk_sha256 = ?1) AND state <> 'completed'
      ORDER BY number
      """, chunk.description
    ) {
      ChunkUse.job(
        number: try $0.get("number"), try $0.get("state"), endedAt: try $0.get("finished_at"))
    }
    try database.each(
      "SELECT content_key, used_at FROM kept_chunks WHERE sha256 = ?1 ORDER BY content_key",
      chunk.description
    ) { uses.append(.kept(key: try $0.get("content_key"), usedAt: try $0.get("used_at"))) }
    return try uses + holds(of: chunk).map { ChunkUse.held($0) }
  }
}
