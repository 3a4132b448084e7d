import Crypto
import FarmAPI
import Foundation
import Planning
import SQLite
import Scheduling
import Timeline

/// A job as the ledger has it.
struct JobRow: Sendable {
  let id: JobID
  let number: Int
  let fingerprint: String?
  /// What the ledger knows of the job's status: all but the segments and the speed.
  var status: JobStatus
  /// How far it had come when it ended.
  let finalProgress: FinalProgress?
  /// What it was accepted under, if that was kept.
  let limits: JobLimits?
}

/// How far a job had come when it ended: kept, so that a list of jobs need not count segments.
struct FinalProgress: Hashable, Codable, Sendable {
  var segments: SegmentCounts
  var framesRendered: Int
  var segmentsReused: Int
}

extension Ledger {
  /// Takes a job in, of a submitter where it has one.
  func insert(
    _ id: JobID, _ submission: JobSubmission, under key: SubmissionKey? = nil,
    by submitter: String?, limits: JobLimits, at date: Date
  ) throws {
    try database.run(
      """
      INSERT INTO jobs
        (id, name, state, created_at, submission, submitter, priority, idempotency_key, body_sha256,
          limits)
      VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """, id.rawValue, submission.name, date.timeIntervalSince1970,
      FarmCoding.encode(submission), submitter, submission.priority ?? 0, key?.key.value,
      key?.body.description, FarmCoding.encode(limits))
  }

  /// The job that a submitter, or nobody, submitted under a key, and the SHA-256 of what was submitted.
  func job(
    under key: IdempotencyKey, by submitter: String?
  ) throws -> (id: JobID, body: Digest?)? {
    try database.first(
      "SELECT id, body_sha256 FROM jobs WHERE idempotency_key = ?1 AND submitter IS ?2",
      key.value, submitter
    ) { row in
      (JobID(rawValue: try row.get("id")), Digest(hex: try row.get("body_sha256") as String))
    }
  }

  /// A job, if there is one of the id.
  func job(_ id: JobID) throws -> JobRow? {
    try database.first("SELECT * FROM jobs WHERE id = ?1", id.rawValue) { try Self.job($0) }
  }

  /// Every job, or every job of a submitter, the newest first.
  ///
  /// - Parameters:
  ///   - earlier: only those that came before the job of this id.
  ///   - limit: at most so many.
  func jobs(
    of submitter: String? = nil, before earlier: JobID? = nil, limit: Int? = nil
  ) throws -> [JobRow] {
    try database.rows(
      """
      SELECT * FROM jobs WHERE (?1 IS NULL OR submitter = ?1)
        AND (?2 IS NULL OR number < (SELECT number FROM jobs WHERE id = ?2))
      ORDER BY number DESC LIMIT ?3
      """, submitter, earlier?.rawValue, limit ?? -1
    ) { try Self.job($0) }
  }

  /// The jobs that have no finished file.
  func jobsWithoutOutput() throws -> [JobID] {
    try database.rows("SELECT id FROM jobs WHERE output_name IS NULL") {
      JobID(rawValue: try $0.get("id"))
    }
  }

  /// How many jobs are in each state.
  func jobCounts() throws -> [JobState: Int] {
    var counts: [JobState: Int] = [:]
    try database.each("SELECT state, count(*) AS count FROM jobs GROUP BY state") { row in
      counts[try row.get("state")] = try row.get("count")
    }
    return counts
  }

  /// The jobs that have not come to an end, the oldest first.
  func unfinishedJobs() throws -> [JobRow] {
    try database.rows(
      """
      SELECT * FROM jobs WHERE state NOT IN ('completed', 'failed', 'cancelled') ORDER BY number
      """
    ) { try Self.job($0) }
  }

  /// How many jobs of a submitter, or of nobody, have not come to an end.
  func unfinishedJobCount(of submitter: String?) throws -> Int {
    try database.first(
      """
      SELECT count(*) AS count FROM jobs
      WHERE state NOT IN ('completed', 'failed', 'cancelled') AND submitter IS ?1
      """, submitter
    ) { try $0.get("count") } ?? 0
  }

  /// How many segments the unfinished jobs of a job's submitter have.
  func segmentCount(besides id: JobID) throws -> Int {
    try database.first(
      """
      SELECT count(*) AS count FROM segments JOIN jobs ON jobs.id = segments.job
      WHERE jobs.state NOT IN ('completed', 'failed', 'cancelled') AND jobs.id <> ?1
        AND jobs.submitter IS (SELECT submitter FROM jobs WHERE id = ?1)
      """, id.rawValue
    ) { try $0.get("count") } ?? 0
  }

  /// Keeps how far a job has come that ends.
  func keepProgress(of job: JobID) throws {
    var progress = try self.progress(of: job)
    let reused = try reusedCount(of: job)
    // Its leases end with it.
    progress.segments.pending += progress.segments.leased
    progress.segments.leased = 0
    try database.run(
      "UPDATE jobs SET final_progress = ?2 WHERE id = ?1", job.rawValue,
      FarmCoding.encode(
        FinalProgress(
          segments: progress.segments, framesRendered: progress.framesRendered,
          segmentsReused: reused)))
  }

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
    let priority: Int = try row.get("priority")
    if priority != 0 { status.priority = priority }
    if let report: Data = try row.get("frame_rate") {
      status.frameRate = try FarmCoding.decode(FrameRateReport.self, from: report)
    }
    if let report: Data = try row.get("loudness") {
      status.loudness = try FarmCoding.decode(LoudnessReport.self, from: report)
    }
    if let code: String = try row.get("failure_code") {
      status.failure = JobFailure(code: code, message: try row.get("failure_message"))
    }
    let sha256: String? = try row.get("output_sha256")
    if let digest = sha256.flatMap({ Digest(hex: $0) }) {
      status.output = OutputFile(
        fileName: try row.get("output_name"), byteCount: try row.get("output_bytes"),
        sha256: digest)
    }
    return JobRow(
      id: JobID(rawValue: id), number: try row.get("number"),
      fingerprint: try row.get("fingerprint"), status: status,
      finalProgress: try (row.get("final_progress") as Data?).map {
        try FarmCoding.decode(FinalProgress.self, from: $0)
      },
      limits: try (row.get("limits") as Data?).map {
        try FarmCoding.decode(JobLimits.self, from: $0)
      })
  }

  /// The uploaded and fetched assets of jobs that have not ended, or ended without a file after a date and may be
  /// retried.
  func submittedAssets(since date: Date) throws -> Set<Digest> {
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
    try database.each(
      """
      SELECT submission FROM jobs WHERE state NOT IN ('completed', 'failed', 'cancelled')
        OR (state <> 'completed' AND finished_at >= ?1)
      """, date.timeIntervalSince1970
    ) { row in
      let submission = try FarmCoding.decode(JobSubmission.self, from: row.get("submission"))
      for asset in submission.assets.values where asset.path == nil { assets.insert(asset.digest) }
    }
    // Pictures that planning made: a frozen plan does not make them again. Few plans have any.
    try database.each(
      """
      SELECT DISTINCT body FROM plans JOIN jobs ON jobs.plan = plans.hash
      WHERE (state NOT IN ('completed', 'failed', 'cancelled')
          OR (state <> 'completed' AND finished_at >= ?1))
        AND instr(body, CAST('"byteCount"' AS BLOB)) > 0
      """, date.timeIntervalSince1970
    ) { row in
      // One that this version does not read is made again, and its pictures with it.
      guard let plan = try? FarmCoding.decode(Plan.self, from: row.get("body")) else { return }
      for source in plan.segments.flatMap(\.sources) where source.byteCount != nil {
        assets.insert(source.asset)
      }
    }
    return assets
  }

  /// What was submitted, with the assets that were fetched for it.
  func submission(of id: JobID) throws -> JobSubmission? {
    let row = try database.first("SELECT submission FROM jobs WHERE id = ?1", id.rawValue) {
      try FarmCoding.decode(JobSubmission.self, from: $0.get("submission"))
    }
    guard var submission = row else { return nil }
    try submission.assets.merge(fetchedAssets(of: id)) { _, fetched in fetched }
    return submission
  }

  /// Freezes a job's plan.
  func keep(_ frozen: FrozenPlan, of id: JobID) throws {
    let (plan, hash) = (frozen.plan, frozen.hash.description)
    try database.transaction {
      try database.run(
        "INSERT OR IGNORE INTO plans (hash, body) VALUES (?1, ?2)", hash, frozen.body)
      try database.run(
        """
        UPDATE jobs SET plan = ?2, frame_count = ?3, frame_duration = ?4, frame_rate = ?5
        WHERE id = ?1
        """, id.rawValue, hash, plan.frameCount, plan.frameDuration.seconds,
        try plan.frameRate.map(FarmCoding.encode))
      for (number, segment) in plan.segments.enumerated() {
        try database.run(
          """
          INSERT INTO segments (job, number, first_frame, end_frame, state)
          VALUES (?1, ?2, ?3, ?4, 'pending')
          """, id.rawValue, number, segment.first, segment.end)
      }
    }
  }

  /// Drops a job's plan with its segments and their attempts: it is planned again.
  func dropPlan(of id: JobID) throws {
    try database.transaction {
      try database.run("DELETE FROM segments WHERE job = ?1", id.rawValue)
      try database.run(
        """
        UPDATE jobs SET plan = NULL, frame_count = NULL, frame_duration = NULL, fingerprint = NULL,
          state = iif(state IN ('completed', 'failed', 'cancelled'), state, 'queued') WHERE id = ?1
        """, id.rawValue)
    }
  }

  /// A job's plan, once frozen.
  ///
  /// - Throws: `JobError` with code `damaged-plan` if it is not what was frozen.
  func plan(of id: JobID) throws -> Plan? {
    try database.first(
      "SELECT hash, body FROM plans JOIN jobs ON jobs.plan = plans.hash WHERE jobs.id = ?1",
      id.rawValue
    ) { row in
      let body: Data = try row.get("body")
      guard try Digest.of(body) == Digest(hex: row.get("hash") as String) else {
        throw JobError(
          "damaged-plan", "the job's plan changed in the ledger: submit the project again")
      }
      return try FarmCoding.decode(Plan.self, from: body)
    }
  }
}
