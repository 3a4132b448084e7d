import Crypto
import FarmAPI
import Foundation
import Planning
import SQLite
import Scheduling
import Timeline

/// The damaged media in chunks, stored by chunk, because a chunk shows the same in every job that uses it.
extension Ledger {
  /// Stores the damaged media in a chunk.
  func keep(_ concealments: [Concealment], of chunk: Digest) throws {
    guard !concealments.isEmpty else { return }
    try database.run(
      "INSERT OR REPLACE INTO chunk_concealments (sha256, concealments) VALUES (?1, ?2)",
      chunk.description, FarmCoding.encode(concealments))
    try database.run(
      """
      UPDATE segments SET concealed = ?2
      WHERE chunk_sha256 = ?1 AND concealed IS NOT NULL AND concealed <> ?2
      """, chunk.description, concealments.count)
  }

  /// Stores the numbers of damaged parts in the chunks of a job's segments with the segments.
  func countConcealed(in job: JobID) throws {
    try database.run(
      """
      UPDATE segments SET concealed = (
        SELECT nullif(json_array_length(CAST(concealments AS TEXT)), 0) FROM chunk_concealments
        WHERE sha256 = chunk_sha256)
      WHERE job = ?1 AND chunk_sha256 IN (SELECT sha256 FROM chunk_concealments)
      """, job.rawValue)
  }

  /// Stores the number of damaged parts in a segment's chunk with the segment.
  func countConcealed(in segment: SegmentID) throws {
    try database.run(
      """
      UPDATE segments SET concealed = (
        SELECT nullif(json_array_length(CAST(concealments AS TEXT)), 0) FROM chunk_concealments
        WHERE sha256 = chunk_sha256)
      WHERE job = ?1 AND number = ?2
      """, segment.job.rawValue, segment.index)
  }

  /// Removes the records of missing chunks. The damaged media in a finished job's file stays recorded with the job, also if
  /// the file is lost, because it may come back.
  ///
  /// - Parameter isGone: returns whether a chunk's file is missing.
  func dropConcealments(where isGone: (Digest) -> Bool) throws {
    let unused = try database.rows(
      """
      SELECT sha256 FROM chunk_concealments WHERE NOT EXISTS (
        SELECT 1 FROM segments JOIN jobs ON jobs.id = segments.job
        WHERE chunk_sha256 = chunk_concealments.sha256
          AND (jobs.state NOT IN ('failed', 'cancelled') OR jobs.output_name IS NOT NULL))
        AND NOT EXISTS (
          SELECT 1 FROM lost_segments WHERE chunk_sha256 = chunk_concealments.sha256)
      """
    ) { Digest(hex: try $0.get(0) as String) }.compactMap(\.self).filter(isGone)
    try database.transaction {
      for chunk in unused {
        try database.run(
          "DELETE FROM chunk_concealments WHERE sha256 = ?1", chunk.description)
        try database.run(
          "UPDATE segments SET concealed = NULL WHERE chunk_sha256 = ?1", chunk.description)
      }
    }
  }

  /// The number of damaged parts in the files of jobs. Jobs without any are left out.
  func concealedCounts(of jobs: [JobID]) throws -> [JobID: Int] {
    let ids = try FarmCoding.encode(jobs.map(\.rawValue))
    let list = String(decoding: ids, as: UTF8.self)
    var counts: [JobID: Int] = [:]
    try database.each(
      """
      SELECT job, sum(concealed) AS count FROM segments
      WHERE concealed IS NOT NULL AND job IN (SELECT value FROM json_each(?1)) GROUP BY job
      """, list
    ) { counts[JobID(rawValue: try $0.get("job"))] = try $0.get("count") }
    try database.each(
      """
      SELECT id, json_array_length(CAST(concealed_sound AS TEXT)) AS count FROM jobs
      WHERE id IN (SELECT value FROM json_each(?1))
        AND json_array_length(CAST(concealed_sound AS TEXT)) > 0
      """, list
    ) { counts[JobID(rawValue: try $0.get("id")), default: 0] += try $0.get("count") }
    return counts
  }

  /// A part of the damaged media in a job's file, in order of time: first the pictures, then the sound. Reads only the
  /// chunks that the part is in.
  ///
  /// - Parameters:
  ///   - skipped: the number of concealments before the part.
  ///   - limit: the maximum number of concealments.
  func concealments(of job: JobID, after skipped: Int, limit: Int) throws -> [Concealment] {
    var chunks: [(number: Int, skipped: Int)] = []
    var passed = 0
    try database.each(
      """
      SELECT number, concealed FROM segments WHERE job = ?1 AND concealed IS NOT NULL
      ORDER BY number
      """, job.rawValue
    ) { row in
      let count: Int = try row.get("concealed")
      if passed < skipped + limit, passed + count > skipped {
        chunks.append((try row.get("number"), max(0, skipped - passed)))
      }
      passed += count
    }
    var found: [Concealment] = []
    for chunk in chunks where found.count < limit {
      let shown = try concealments(inChunkOf: SegmentID(job: job, index: chunk.number))
      found += shown.dropFirst(chunk.skipped).prefix(limit - found.count)
    }
    guard found.count < limit, let sound = try concealedSound(of: job) else { return found }
    return found + sound.dropFirst(max(0, skipped - passed)).prefix(limit - found.count)
  }

  /// The damaged media in a segment's chunk, with its place in the job's file.
  private func concealments(inChunkOf segment: SegmentID) throws -> [Concealment] {
    try database.first(
      """
      SELECT segments.first_frame AS first, chunk_concealments.concealments AS concealments
      FROM segments JOIN chunk_concealments ON chunk_concealments.sha256 = segments.chunk_sha256
      WHERE segments.job = ?1 AND segments.number = ?2
      """, segment.job.rawValue, segment.index
    ) { row in
      let first: Int = try row.get("first")
      return try FarmCoding.decode([Concealment].self, from: row.get("concealments")).map {
        var moved = $0
        moved.frames = $0.frames.map { $0.lowerBound + first..<$0.upperBound + first }
        return moved
      }
    } ?? []
  }

  private func concealedSound(of job: JobID) throws -> [Concealment]? {
    let sound: Data? =
      try database.first("SELECT concealed_sound FROM jobs WHERE id = ?1", job.rawValue) {
        try $0.get("concealed_sound") as Data?
      } ?? nil
    return try sound.map { try FarmCoding.decode([Concealment].self, from: $0) }
  }
}
