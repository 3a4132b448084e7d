import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// Jobs of earlier versions, which kept projects and plans in the ledger, continued by a version that keeps them in
/// files.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AdoptionTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private var data: String { scratch.path("data") }

  /// Rewrites the ledger of a stopped coordinator as earlier versions wrote it, and removes the files of its jobs.
  ///
  /// - Parameter damaged: whether the plans get an unsupported format.
  private func downgrade(damaged: Bool = false) async throws {
    try await untilUnlocked(data)
    let database = try Database(.file("\(data)/ledger.sqlite"))
    let ids: [String] = try database.rows("SELECT id FROM jobs") { try $0.get("id") }
    for id in ids {
      try moveProject(of: id, in: database)
      try movePlan(of: id, in: database, damaged: damaged)
    }
    try database.run("UPDATE jobs SET project = NULL, plan_file = NULL")
    try database.run("DELETE FROM job_blobs")
    try database.run(
      """
      UPDATE segments SET cost = 0, content = NULL, plan_offset = NULL, plan_length = NULL,
        plan_digest = NULL, assets = NULL
      """)
    // Without an index, planning a job has to probe its clip.
    for folder in ["projects", "plans", "indexes"] {
      try FileManager.default.removeItem(atPath: "\(data)/\(folder)")
    }
  }

  private func file(_ folder: String, _ digest: Digest) -> String {
    "\(data)/\(folder)/\(digest.description.prefix(2))/\(digest)"
  }

  private func moveProject(of id: String, in database: Database) throws {
    let row = try database.first(
      """
      SELECT project, bytes AS project_assets, submission
      FROM jobs JOIN job_blobs ON job = id AND job_blobs.name = 'project_assets' WHERE id = ?1
      """, id
    ) { row in
      (
        try #require(Digest(hex: try row.get("project", as: String.self))),
        try FarmCoding.decode([ProjectAsset].self, from: row.get("project_assets", as: Data.self)),
        try FarmCoding.decode(JobSubmission.self, from: row.get("submission", as: Data.self))
      )
    }
    var (project, assets, submission) = try #require(row)
    submission.project = try String(contentsOfFile: file("projects", project), encoding: .utf8)
    for asset in assets { submission.assets[asset.place] = asset.reference }
    try database.run(
      "UPDATE jobs SET submission = ?2 WHERE id = ?1", id, FarmCoding.encode(submission))
  }

  private func movePlan(of id: String, in database: Database, damaged: Bool) throws {
    let found = try database.first(
      "SELECT bytes FROM job_blobs WHERE job = ?1 AND name = 'plan_facts'", id
    ) { try FarmCoding.decode(PlanFacts.self, from: $0.get("bytes", as: Data.self)) }
    guard let facts = found else { return }
    let path = file("plans", facts.file)
    var plan = try FarmCoding.decode(Plan.self, from: facts.head.read(from: path))
    plan.mix = try facts.sound.map {
      try FarmCoding.decode(MixDescription.self, from: $0.part.read(from: path))
    }
    plan.segments = try database.rows(
      "SELECT * FROM segments WHERE job = ?1 ORDER BY number", id
    ) { row in
      PlanPart(
        offset: try row.get("plan_offset"), length: try row.get("plan_length"),
        digest: try #require(Digest(hex: try row.get("plan_digest", as: String.self))))
    }.map { part in
      try FarmCoding.decode(LeasedContent.self, from: part.read(from: path)).description
    }
    plan.methods = try database.rows(
      "SELECT method FROM segments WHERE job = ?1 ORDER BY number", id
    ) { try #require(SegmentMethod(rawValue: try $0.get("method"))) }
    #expect(try plan.hash() == facts.hash)
    let body = damaged ? Data("{}".utf8) : try FarmCoding.encode(plan)
    try database.run("UPDATE plans SET body = ?2 WHERE hash = ?1", facts.hash.description, body)
  }

  private func farm(limits: Limits = Limits()) async throws -> TestFarm {
    try await TestFarm(in: scratch, ledger: .onDisk, limits: limits)
  }

  private func status(of job: JobStatus, _ farm: TestFarm) async throws -> JobStatus {
    try await farm.get("/jobs/\(job.id)")
  }

  /// Waits until a job is in a state.
  private func reach(_ state: JobState, _ job: JobStatus, _ farm: TestFarm) async throws {
    try await eventually("the job is \(state)") { try await status(of: job, farm).state == state }
  }

  /// Renders the rest of a job, and returns its last status and the numbers of the rendered segments.
  private func finish(
    _ job: JobStatus, _ farm: TestFarm, by worker: String
  ) async throws -> (end: JobStatus, rendered: Set<Int>) {
    var rendered: Set<Int> = []
    let count = try await job.segmentCount(in: farm)
    while try await status(of: job, farm).segments.completed < count {
      let lease = try await farm.lease(worker)
      #expect(lease.job == job.id)
      #expect(try await farm.deliver(lease).status == .ok)
      rendered.insert(lease.segment)
    }
    return (try await farm.end(of: job), rendered)
  }

  @Test func `a job that was being rendered keeps its plan, its chunks and its leases`()
    async throws
  {
    let job: JobStatus
    let worker: String
    let (delivered, running): (Lease, Lease)
    do {
      let farm = try await farm()
      job = try await farm.submit()
      worker = try await farm.register()
      delivered = try await farm.lease(worker)
      #expect(try await farm.deliver(delivered).status == .ok)
      running = try await farm.lease(worker)
      await farm.coordinator.stop()
    }
    try await downgrade()
    // The job keeps the limits that it was accepted under.
    var limits = Limits()
    limits.segmentsPerSubmitter = 1
    let farm = try await farm(limits: limits)
    #expect(try await farm.isStopped(running) == false)
    let before = try await status(of: job, farm)
    #expect(before.state == .rendering)
    #expect(before.segments.completed == 1)
    #expect(try await farm.deliver(running).status == .ok)
    let (end, rendered) = try await finish(job, farm, by: worker)
    #expect(end.state == .completed, "\(end.failure?.message ?? "")")
    #expect(rendered.isDisjoint(with: [delivered.segment, running.segment]))
    #expect(farm.media.probedNames == [], "the job is not planned again")
  }

  @Test func `jobs that were being planned or had been cancelled can be completed`() async throws {
    let (planned, cancelled): (JobStatus, JobStatus)
    do {
      let farm = try await farm()
      cancelled = try await farm.submit(name: "cancelled")
      try await reach(.rendering, cancelled, farm)
      #expect(try await farm.send(.post, "/jobs/\(cancelled.id)/cancel").status == .ok)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(data)
    do {
      let farm = try await TestFarm(
        media: FakeMedia(planning: .never), in: scratch, ledger: .onDisk)
      planned = try await farm.submit(name: "planned")
      try await reach(.planning, planned, farm)
      await farm.coordinator.stop()
    }
    try await downgrade()
    let farm = try await farm()
    let worker = try await farm.register()
    #expect(try await status(of: cancelled, farm).state == .cancelled)
    #expect(try await finish(planned, farm, by: worker).end.state == .completed)
    #expect(try await farm.send(.post, "/jobs/\(cancelled.id)/retry").status == .ok)
    #expect(try await finish(cancelled, farm, by: worker).end.state == .completed)
    #expect(farm.media.probedNames == ["a.mp4"], "the cancelled job keeps its plan")
  }

  @Test func `a job whose plan has an unsupported format is planned again`() async throws {
    let job: JobStatus
    do {
      let farm = try await farm()
      job = try await farm.submit()
      try await reach(.rendering, job, farm)
      await farm.coordinator.stop()
    }
    try await downgrade(damaged: true)
    let farm = try await farm()
    let worker = try await farm.register()
    #expect(try await finish(job, farm, by: worker).end.state == .completed)
  }

  @Test func `a job whose plan file is missing is planned again`() async throws {
    let job: JobStatus
    do {
      let farm = try await farm()
      job = try await farm.submit()
      try await reach(.rendering, job, farm)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(data)
    try FileManager.default.removeItem(atPath: "\(data)/plans")
    let farm = try await farm()
    let worker = try await farm.register()
    #expect(try await finish(job, farm, by: worker).end.state == .completed)
  }
}

extension JobStatus {
  /// Waits until the job is planned, and returns the number of its segments.
  fileprivate func segmentCount(in farm: TestFarm) async throws -> Int {
    let planned = try await eventually("the job is planned") {
      try await farm.get("/jobs/\(id)", as: JobStatus.self)
    } satisfies: {
      $0.segments.total > 0 || $0.state.isFinal
    }
    return planned.segments.total
  }
}
