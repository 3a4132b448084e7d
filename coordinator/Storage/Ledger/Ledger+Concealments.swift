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
      }
    }
  }

  /// The damaged media in a job's file, in order of time, or `nil` if there is none.
  func concealed(in job: JobID) throws -> [ConcealedMedia]? {
    var found: [Concealment] = []
    try database.each(
      """
      SELECT segments.first_frame AS first, chunk_concealments.concealments AS concealments
      FROM segments JOIN chunk_concealments ON chunk_concealments.sha256 = segments.chunk_sha256
      WHERE segments.job = ?1 ORDER BY segments.number
      """, job.rawValue
    ) { row in
      let first: Int = try row.get("first")
      let shown = try FarmCoding.decode([Concealment].self, from: row.get("concealments"))
      found += shown.map { concealment in
        var moved = concealment
        moved.frames = concealment.frames.map { $0.lowerBound + first..<$0.upperBound + first }
        return moved
      }
    }
    let sound: Data? =
      try database.first(
        "SELECT concealed_sound FROM jobs WHERE id = ?1", job.rawValue
      ) { try $0.get("concealed_sound") as Data? } ?? nil
    if let sound { found += try FarmCoding.decode([Concealment].self, from: sound) }
    guard !found.isEmpty else { return nil }
    let names = Dictionary(
      try assets(of: job).map { ($0.asset.digest, $0.name) }
    ) { first, _ in first }
    return found.map { concealment in
      ConcealedMedia(
        asset: names[concealment.asset] ?? concealment.asset.description,
        time: concealment.time.seconds, firstFrame: concealment.frames?.lowerBound,
        frameCount: concealment.frames?.count, duration: concealment.duration?.seconds)
    }
  }
}
