import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling

/// The damaged media in chunks, stored by chunk, because a chunk shows the same in every job that uses it.
extension Ledger {
  /// Stores the damaged media in a chunk, if there is any.
  func keep(_ concealments: StoredConcealments?, of chunk: Digest) throws {
    guard let concealments else { return }
    try database.run(
      """
      INSERT INTO chunk_concealments (sha256, concealments) VALUES (?1, ?2)
      ON CONFLICT (sha256) DO UPDATE SET concealments = excluded.concealments
      """, chunk.description, concealments.list)
    try database.run(
      """
      INSERT INTO concealment_summaries (sha256, parts, first_parts) VALUES (?1, ?2, ?3)
      ON CONFLICT (sha256) DO UPDATE SET parts = excluded.parts, first_parts = excluded.first_parts
      """, chunk.description, concealments.count, concealments.first)
    try database.run(
      """
      UPDATE segments SET concealed = ?2
      WHERE chunk_sha256 = ?1 AND concealed IS NOT NULL AND concealed <> ?2
      """, chunk.description, concealments.count)
  }

  /// Stores the damaged media in a job's sound, or that there are none.
  func keep(_ concealments: StoredConcealments?, inSoundOf job: JobID) throws {
    try database.run(
      "UPDATE jobs SET concealed_sounds = ?2 WHERE id = ?1", job.rawValue, concealments?.count)
    try keep(concealments?.list, as: .concealedSound, of: job)
    try keep(concealments?.first, as: .firstConcealedSound, of: job)
  }

  /// Stores the numbers of damaged parts in the chunks of a job's segments with the segments.
  func countConcealed(in job: JobID) throws {
    try database.run(
      """
      UPDATE segments SET concealed = (
        SELECT nullif(parts, 0) FROM concealment_summaries WHERE sha256 = chunk_sha256)
      WHERE job = ?1 AND chunk_sha256 IN (SELECT sha256 FROM concealment_summaries)
      """, job.rawValue)
  }

  /// Stores the number of damaged parts in a segment's chunk with the segment.
  func countConcealed(in segment: SegmentID) throws {
    try database.run(
      """
      UPDATE segments SET concealed = (
        SELECT nullif(parts, 0) FROM concealment_summaries WHERE sha256 = chunk_sha256)
      WHERE job = ?1 AND number = ?2 AND (
        concealed IS NOT NULL OR chunk_sha256 IN (SELECT sha256 FROM concealment_summaries))
      """, segment.job.rawValue, segment.index)
  }

  /// The number of records that ``dropConcealments(after:where:)`` examines in one call.
  package static let concealmentRange = 500

  /// Removes the records of missing chunks in a range of digests. The damaged media in a finished job's file stay
  /// recorded with the job even if the file is lost, because it may come back.
  ///
  /// - Parameters:
  ///   - digest: the hexadecimal digest after which the range begins.
  ///   - isGone: returns whether a chunk's file is missing.
  /// - Returns: the last digest of the range, or `nil` if no digest is larger than `digest`.
  package func dropConcealments(
    after digest: String = "", where isGone: (Digest) -> Bool
  ) throws -> String? {
    let last = try database.first(
      """
      SELECT max(sha256) AS last FROM (
        SELECT sha256 FROM chunk_concealments WHERE sha256 > ?1 ORDER BY sha256 LIMIT ?2
      ) AS range
      """, digest, Self.concealmentRange
    ) { try $0.get("last") as String? }
    guard let last = last ?? nil else { return nil }
    let unused = try database.rows(
      """
      SELECT sha256 FROM chunk_concealments WHERE sha256 > ?1 AND sha256 <= ?2 AND NOT EXISTS (
        SELECT 1 FROM segments JOIN jobs ON jobs.id = segments.job
        WHERE chunk_sha256 = chunk_concealments.sha256
          AND (jobs.state NOT IN ('failed', 'cancelled') OR jobs.output_name IS NOT NULL))
        AND NOT EXISTS (
          SELECT 1 FROM lost_segments WHERE chunk_sha256 = chunk_concealments.sha256)
      """, digest, last
    ) { Digest(hex: try $0.get(0) as String) }.compactMap(\.self).filter(isGone)
    guard !unused.isEmpty else { return last }
    try database.transaction {
      for chunk in unused {
        try database.run(
          "DELETE FROM chunk_concealments WHERE sha256 = ?1", chunk.description)
        try database.run(
          "UPDATE segments SET concealed = NULL WHERE chunk_sha256 = ?1", chunk.description)
      }
    }
    return last
  }

  /// The number of damaged parts in the files of jobs. Jobs without any are left out.
  package func concealedCounts(of jobs: [JobID]) throws -> [JobID: Int] {
    let ids = try FarmCoding.encode(jobs.map(\.rawValue))
    let list = String(decoding: ids, as: UTF8.self)
    var counts: [JobID: Int] = [:]
    try database.each(
      """
      SELECT job, sum(concealed) AS count FROM segments
      WHERE concealed IS NOT NULL AND job IN (SELECT value FROM \(database.dialect.elements("?1", "ids"))) GROUP BY job
      """, list
    ) { counts[JobID(rawValue: try $0.get("job"))] = try $0.get("count") }
    try database.each(
      """
      SELECT id, concealed_sounds AS count FROM jobs
      WHERE concealed_sounds IS NOT NULL AND id IN (SELECT value FROM \(database.dialect.elements("?1", "ids")))
      """, list
    ) { counts[JobID(rawValue: try $0.get("id")), default: 0] += try $0.get("count") }
    return counts
  }

  /// The first damaged parts of a job's file, as many as its status shows, in the order of ``concealments(of:after:limit:)``.
  /// Reads only the summaries of lists.
  package func firstConcealments(of job: JobID) throws -> ConcealmentPage {
    let limit = JobStatus.concealedLimit
    // Each of these segments has at least one part.
    var sections = try database.rows(
      """
      SELECT first_frame, first_parts FROM segments \(database.dialect.using("concealed_segments"))
      JOIN concealment_summaries ON concealment_summaries.sha256 = segments.chunk_sha256
      WHERE job = ?1 AND concealed IS NOT NULL ORDER BY number LIMIT ?2
      """, job.rawValue, limit
    ) { row in
      ConcealmentPage.Section(
        list: try row.get("first_parts"), firstFrame: try row.get("first_frame"))
    }
    if let sound = try blob(.firstConcealedSound, of: job) {
      sections.append(ConcealmentPage.Section(list: sound))
    }
    return ConcealmentPage(sections: sections, limit: limit)
  }

  /// A page of the damaged media in a job's file, in order of time: first the pictures, then the sound. Reads only the
  /// lists that the page contains, and decodes none of them.
  ///
  /// - Parameters:
  ///   - skipped: the number of concealments before the page.
  ///   - limit: the maximum number of concealments.
  package func concealments(of job: JobID, after skipped: Int, limit: Int) throws -> ConcealmentPage
  {
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
    var page = ConcealmentPage(limit: limit)
    for chunk in chunks {
      let section = try database.first(
        """
        SELECT segments.first_frame AS first, chunk_concealments.concealments AS concealments
        FROM segments JOIN chunk_concealments ON chunk_concealments.sha256 = segments.chunk_sha256
        WHERE segments.job = ?1 AND segments.number = ?2
        """, job.rawValue, chunk.number
      ) { row in
        ConcealmentPage.Section(
          list: try row.get("concealments"), firstFrame: try row.get("first"),
          skipped: chunk.skipped)
      }
      if let section { page.sections.append(section) }
    }
    let skippedSounds = max(0, skipped - passed)
    if passed < skipped + limit, try soundCount(of: job) > skippedSounds,
      let sound = try blob(.concealedSound, of: job)
    {
      page.sections.append(ConcealmentPage.Section(list: sound, skipped: skippedSounds))
    }
    return page
  }

  /// The number of damaged parts in a job's sound.
  private func soundCount(of job: JobID) throws -> Int {
    try database.first(
      "SELECT coalesce(concealed_sounds, 0) AS count FROM jobs WHERE id = ?1", job.rawValue
    ) { try $0.get("count") } ?? 0
  }
}
