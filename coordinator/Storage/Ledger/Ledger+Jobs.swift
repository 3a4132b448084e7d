import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import SQL
import Scheduling
import Timeline

extension Ledger {
  /// Inserts a job, with its submitter if it has one. The project's text is already in a file.
  package func insert(
    _ id: JobID, _ submission: StoredSubmission, under key: SubmissionKey? = nil,
    by submitter: String?, limits: JobLimits, at date: Date
  ) throws {
    try database.transaction {
      try database.run(
        """
        INSERT INTO jobs
          (id, name, state, created_at, submission, submitter, priority, idempotency_key,
            body_sha256, limits)
        VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, id.rawValue, submission.name, date.timeIntervalSince1970,
        submission.head, submitter, submission.priority ?? 0, key?.key.value,
        key?.body.description, FarmCoding.encode(limits))
      try keepProject(submission, of: id)
    }
  }

  /// Stores the digest of a job's project, and the files that it names.
  private func keepProject(_ submission: StoredSubmission, of id: JobID) throws {
    try database.run(
      "UPDATE jobs SET project = ?2 WHERE id = ?1", id.rawValue, submission.project.description)
    try keep(submission.assets, as: .projectAssets, of: id)
    try keep(submission.digests, as: .assetDigests, of: id)
  }

  /// Updates a job that an earlier release accepted, after its project was moved into a file.
  package func adopt(_ submission: StoredSubmission, of id: JobID) throws {
    try database.transaction {
      try keepProject(submission, of: id)
      try database.run(
        "UPDATE jobs SET submission = ?2 WHERE id = ?1", id.rawValue, submission.head)
    }
  }

  /// The parts of a job that an earlier release kept in the ledger and that have not been moved into files.
  package func unadopted(_ id: JobID) throws -> (submission: Data?, plan: Data?) {
    let submission: Data? = try database.first(
      "SELECT submission FROM jobs WHERE id = ?1 AND project IS NULL", id.rawValue
    ) { try $0.get("submission") }
    let plan: Data? = try database.first(
      """
      SELECT body FROM plans JOIN jobs ON jobs.plan = plans.hash
      WHERE jobs.id = ?1 AND plan_file IS NULL
      """, id.rawValue
    ) { try $0.get("body") }
    return (submission, plan)
  }

  /// The unfinished jobs whose plans an earlier version kept in the ledger, oldest first.
  package func jobsToAdopt() throws -> [JobID] {
    try database.rows(
      """
      SELECT id FROM jobs WHERE plan IS NOT NULL AND plan_file IS NULL
        AND state NOT IN ('completed', 'failed', 'cancelled') ORDER BY number
      """
    ) { JobID(rawValue: try $0.get("id")) }
  }

  /// The job that was submitted under a key, with or without a submitter, and the SHA-256 of its submission.
  package func job(
    under key: IdempotencyKey, by submitter: String?
  ) throws -> (id: JobID, body: Digest?)? {
    try database.first(
      "SELECT id, body_sha256 FROM jobs WHERE idempotency_key = ?1 AND submitter IS NOT DISTINCT FROM ?2",
      key.value, submitter
    ) { row in
      (JobID(rawValue: try row.get("id")), Digest(hex: try row.get("body_sha256") as String))
    }
  }

  /// A job, if one has the id.
  package func job(_ id: JobID) throws -> JobRow? {
    try database.first("SELECT \(Self.columns) FROM jobs WHERE id = ?1", id.rawValue) {
      try Self.job($0)
    }
  }

  /// All jobs, or all jobs of a submitter, newest first.
  ///
  /// - Parameters:
  ///   - earlier: return only jobs older than the one with this id.
  ///   - limit: the maximum number of jobs.
  package func jobs(
    of submitter: String? = nil, before earlier: JobID? = nil, limit: Int? = nil
  ) throws -> [JobRow] {
    try database.rows(
      """
      SELECT \(Self.columns) FROM jobs WHERE (submitter = ?1 OR ?1 IS NULL)
        AND (number < (SELECT number FROM jobs WHERE id = ?2) OR ?2 IS NULL)
      ORDER BY number DESC LIMIT ?3
      """, submitter, earlier?.rawValue, limit ?? .max
    ) { try Self.job($0) }
  }

  /// The jobs that were never completed. A completed job that has lost its file is not included: the file may come
  /// back.
  package func jobsWithoutOutput() throws -> [JobID] {
    try database.rows("SELECT id FROM jobs WHERE output_name IS NULL") {
      JobID(rawValue: try $0.get("id"))
    }
  }

  /// The number of jobs in each state.
  package func jobCounts() throws -> [JobState: Int] {
    var counts: [JobState: Int] = [:]
    try database.each("SELECT state, count(*) AS count FROM jobs GROUP BY state") { row in
      counts[try row.get("state")] = try row.get("count")
    }
    return counts
  }

  /// The jobs that have not ended, oldest first.
  package func unfinishedJobs() throws -> [JobRow] {
    try database.rows(
      """
      SELECT \(Self.columns) FROM jobs
      WHERE state NOT IN ('completed', 'failed', 'cancelled') ORDER BY number
      """
    ) { try Self.job($0) }
  }

  /// The number of a submitter's unfinished jobs, or of those without a submitter.
  package func unfinishedJobCount(of submitter: String?) throws -> Int {
    try database.first(
      """
      SELECT count(*) AS count FROM jobs
      WHERE state NOT IN ('completed', 'failed', 'cancelled') AND submitter IS NOT DISTINCT FROM ?1
      """, submitter
    ) { try $0.get("count") } ?? 0
  }

  /// The number of segments that the unfinished jobs of a job's submitter have.
  package func segmentCount(besides id: JobID) throws -> Int {
    try database.first(
      """
      SELECT count(*) AS count FROM segments JOIN jobs ON jobs.id = segments.job
      WHERE jobs.state NOT IN ('completed', 'failed', 'cancelled') AND jobs.id <> ?1
        AND jobs.submitter IS NOT DISTINCT FROM (SELECT submitter FROM jobs WHERE id = ?1)
      """, id.rawValue
    ) { try $0.get("count") } ?? 0
  }

  /// Stores the progress of a job that is ending.
  func keepProgress(of job: JobID) throws {
    var progress = try self.progress(of: job)
    let reused = try reusedCount(of: job)
    // Its leases end with it, so leased segments count as pending.
    progress.segments.pending += progress.segments.leased
    progress.segments.leased = 0
    try database.run(
      "UPDATE jobs SET final_progress = ?2 WHERE id = ?1", job.rawValue,
      FarmCoding.encode(
        FinalProgress(
          segments: progress.segments, framesRendered: progress.framesRendered,
          segmentsReused: reused, drawing: try drawing(of: job))))
  }

  /// The columns that ``job(_:)-(Row)`` reads.
  private static let columns = """
    jobs.*, EXISTS (SELECT 1 FROM lost_outputs WHERE lost_outputs.job = jobs.id) AS has_record
    """

  private static func job(_ row: borrowing Row) throws -> JobRow {
    let id: String = try row.get("id")
    let finishedAt: Double? = try row.get("finished_at")
    let plan: String? = try row.get("plan")
    var status = JobStatus(
      id: id, name: try row.get("name"), submitter: try row.get("submitter"),
      state: try row.get("state"),
      createdAt: Date(timeIntervalSince1970: try row.get("created_at")),
      finishedAt: finishedAt.map { Date(timeIntervalSince1970: $0) },
      planHash: plan.flatMap { Digest(hex: $0) }, frameCount: try row.get("frame_count"),
      frameDuration: try row.get("frame_duration"))
    let startedAt: Double? = try row.get("started_at")
    status.startedAt = startedAt.map { Date(timeIntervalSince1970: $0) }
    let priority: Int = try row.get("priority")
    if priority != 0 { status.priority = priority }
    if let report: Data = try row.get("frame_rate") {
      status.frameRate = try FarmCoding.decode(FrameRateReport.self, from: report)
    }
    if let report: Data = try row.get("loudness") {
      status.loudness = try FarmCoding.decode(LoudnessReport.self, from: report)
    }
    if let code: String = try row.get("failure_code") {
      status.failure = JobFailure(
        code: FailureCode(rawValue: code), message: try row.get("failure_message"))
    }
    if let deletion: Data = try row.get("output_deletion") {
      status.outputDeletion = try FarmCoding.decode(OutputDeletion.self, from: deletion)
    }
    let sha256: String? = try row.get("output_sha256")
    var output: OutputFile?
    if let digest = sha256.flatMap({ Digest(hex: $0) }) {
      output = OutputFile(
        fileName: try row.get("output_name"), byteCount: try row.get("output_bytes"),
        sha256: digest)
    }
    return JobRow(
      id: JobID(rawValue: id), number: try row.get("number"),
      fingerprint: try row.get("fingerprint"), status: status, output: output,
      hasRecord: try row.get("has_record"),
      finalProgress: try (row.get("final_progress") as Data?).map {
        try FarmCoding.decode(FinalProgress.self, from: $0)
      },
      limitsText: try row.get("limits"))
  }

  /// The uploaded and fetched assets of unfinished jobs, and of jobs that ended without a file after a date and may be
  /// retried.
  package func submittedAssets(since date: Date) throws -> Set<Digest> {
    var assets: Set<Digest> = []
    try database.each(
      """
      SELECT DISTINCT digest FROM fetched_assets JOIN jobs ON jobs.id = fetched_assets.job
      WHERE state NOT IN ('completed', 'failed', 'cancelled')
        OR (state <> 'completed' AND finished_at >= ?1)
      """, date.timeIntervalSince1970
    ) { row in
      if let digest = Digest(hex: try row.get("digest") as String) { assets.insert(digest) }
    }
    // For the few jobs that an older release accepted, they are in the submission.
    try database.each(
      """
      SELECT submission FROM jobs WHERE project IS NULL AND (
        state NOT IN ('completed', 'failed', 'cancelled')
        OR (state <> 'completed' AND finished_at >= ?1))
      """, date.timeIntervalSince1970
    ) { row in
      let submission = try FarmCoding.decode(JobSubmission.self, from: row.get("submission"))
      for asset in submission.assets.values where asset.path == nil { assets.insert(asset.digest) }
    }
    try database.each(
      """
      SELECT bytes FROM jobs JOIN job_blobs ON job_blobs.job = jobs.id AND job_blobs.name = ?2
      WHERE state NOT IN ('completed', 'failed', 'cancelled')
        OR (state <> 'completed' AND finished_at >= ?1)
      """, date.timeIntervalSince1970, JobBlob.assetDigests
    ) { row in
      assets.formUnion(Self.digests(try row.get("bytes")))
    }
    return assets
  }

  /// The uploaded and fetched assets of one job.
  package func submittedAssets(of id: JobID) throws -> Set<Digest> {
    var assets = Set(try blob(.assetDigests, of: id).map(Self.digests) ?? [])
    try database.each("SELECT digest FROM fetched_assets WHERE job = ?1", id.rawValue) { row in
      if let digest = Digest(hex: try row.get("digest") as String) { assets.insert(digest) }
    }
    // An older release kept them in the submission.
    if let old = try unadopted(id).submission {
      for asset in try FarmCoding.decode(JobSubmission.self, from: old).assets.values
      where asset.path == nil { assets.insert(asset.digest) }
    }
    return assets
  }

  /// Splits a column of concatenated digests.
  static func digests(_ data: Data) -> [Digest] {
    let bytes = [UInt8](data)
    return stride(from: 0, to: bytes.count, by: Digest.byteCount).compactMap { start in
      Digest(bytes: Array(bytes[start..<min(start + Digest.byteCount, bytes.count)]))
    }
  }

  /// The number of bytes that the ledger stores about the files of a job's project.
  package func submissionSize(of id: JobID) throws -> Int {
    try size(.projectAssets, of: id)
  }

  /// The submission of a job, including the assets that were fetched for it, but without its project, which is in a
  /// file.
  package func storedSubmission(of id: JobID) throws -> StoredSubmission? {
    guard let assets = try blob(.projectAssets, of: id) else { return nil }
    let fetched = try fetchedAssets(of: id)
    return try database.first("SELECT * FROM jobs WHERE id = ?1", id.rawValue) {
      row -> StoredSubmission? in
      guard let hex: String = try row.get("project"), let project = Digest(hex: hex) else {
        return nil
      }
      return StoredSubmission(
        name: try row.get("name"), priority: try row.get("priority"), project: project,
        head: try row.get("submission"), assets: assets, fetched: fetched)
    } ?? nil
  }

  /// The assets of a job that are on this host, by their names in the project.
  package func assets(of id: JobID) throws -> [(name: String, asset: AssetReference)] {
    try storedAssets(of: id).decoded()
  }

  /// The assets of a job as the ledger stores them.
  package func storedAssets(of id: JobID) throws -> StoredAssets {
    if let submission = try storedSubmission(of: id) { return .submission(submission) }
    guard let old = try unadopted(id).submission else { return .none }
    return .wholeSubmission(old, fetched: try fetchedAssets(of: id))
  }

  /// Whether a job's project names an asset that is on this host.
  package func names(_ asset: Digest, in id: JobID) throws -> Bool {
    // Most jobs do not, and this query finds that out without decoding their long lists.
    let isMentioned =
      try database.first(
        """
        SELECT 1 AS found FROM jobs WHERE id = ?1 AND (
          \(database.dialect.contains("submission", "?4"))
          OR EXISTS (SELECT 1 FROM fetched_assets WHERE job = ?1 AND digest = ?2)
          OR EXISTS (
            SELECT 1 FROM job_blobs
            WHERE job = ?1 AND name = ?3 AND \(database.dialect.contains("bytes", "?4"))))
        """, id.rawValue, asset.description, JobBlob.projectAssets, Data(asset.description.utf8)
      ) { try $0.get("found") as Int } != nil
    return try isMentioned && assets(of: id).contains { $0.asset.digest == asset }
  }

  /// Whether all segments of a job are rendered, without reusing chunks.
  package func rerenders(_ id: JobID) throws -> Bool? {
    try submissionHead(of: id).map { $0.rerenders ?? false }
  }

  /// Whether a job's segments are rendered in timeline order.
  package func isInOrder(_ id: JobID) throws -> Bool {
    try submissionHead(of: id)?.inOrder ?? false
  }

  /// A job's submission, without its project and assets.
  private func submissionHead(of id: JobID) throws -> JobSubmission? {
    try database.first("SELECT submission FROM jobs WHERE id = ?1", id.rawValue) {
      try FarmCoding.decode(JobSubmission.self, from: $0.get("submission"))
    }
  }
}
