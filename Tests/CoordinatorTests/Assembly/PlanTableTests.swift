import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Preparation
import SQL
import SQLite
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Plans whose table of segments changes on disk.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanTableTests {
  private let scratch: TemporaryDirectory
  private var ledger: String { scratch.path("data/ledger.sqlite") }

  init() throws { scratch = try TemporaryDirectory() }

  // The cost of the first segment, and a byte of its asset's digest.
  @Test(arguments: [(PlanWriter.tableName, 16), (PlanWriter.assetsName, 5)])
  func `a table that changes while a plan is frozen is rebuilt`(name: String, place: Int)
    async throws
  {
    let plannings = Mutex(0)
    let farm = try await TestFarm(
      media: FakeMedia(afterPlanning: { directory in
        let number = plannings.withLock { count in
          count += 1
          return count
        }
        if number == 1 { try FileDamage.flipBit(of: "\(directory)/\(name)", at: place) }
      }))
    let job = try await farm.submit()
    #expect(try await farm.lease(farm.register()).job == job.id)
    #expect(plannings.withLock { $0 } == 2)
  }

  /// The descriptions of segments in the ledger.
  private func rows() throws -> [[String]] {
    try Database(.file(ledger)).rows(
      """
      SELECT number, first_frame, end_frame, cost, content, plan_offset, plan_length, plan_digest,
        hex(assets) AS assets FROM segments ORDER BY number
      """
    ) { row in
      [
        "\(try row.get("number", as: Int.self))", "\(try row.get("first_frame", as: Int.self))",
        "\(try row.get("end_frame", as: Int.self))", "\(try row.get("cost", as: Int.self))",
        try row.get("content"), "\(try row.get("plan_offset", as: Int.self))",
        "\(try row.get("plan_length", as: Int.self))", try row.get("plan_digest"),
        try row.get("assets"),
      ]
    }
  }

  /// Starts a farm, runs `body` once its job is being rendered, and stops the farm.
  private func farm(
    media: FakeMedia = FakeMedia(), log: Log = Log(.quiet) { _ in },
    _ body: (TestFarm) async throws -> JobStatus
  ) async throws -> JobStatus {
    var job: JobStatus
    do {
      let farm = try await TestFarm(media: media, in: scratch, ledger: .onDisk, log: log)
      job = try await body(farm)
      job = try await eventually("the job renders, or ends") {
        try await farm.get("/jobs/\(job.id)")
      } satisfies: {
        $0.state == .rendering || $0.state.isFinal
      }
      try #require(job.state == .rendering, "\(job.failure?.message ?? "")")
      await farm.coordinator.stop()
    }
    try await untilUnlocked(scratch.path("data"))
    return job
  }

  @Test(arguments: [
    "UPDATE segments SET end_frame = end_frame + 1 WHERE number = 8",
    "UPDATE segments SET cost = cost + 1 WHERE number = 3",
    // Valid values, but of another segment.
    """
    UPDATE segments SET (content, plan_offset, plan_length, plan_digest) =
      (SELECT content, plan_offset, plan_length, plan_digest FROM segments WHERE number = 1)
    WHERE number = 2
    """,
    "UPDATE segments SET content = replace(content, substr(content, 1, 1), 'x') WHERE number = 0",
    "UPDATE segments SET assets = substr(assets, 2) WHERE number = 4",
    "DELETE FROM segments WHERE number = 8",
  ])
  func `a job whose segments changed in the ledger is planned again`(change: String) async throws {
    let job = try await farm { try await $0.submit() }
    let before = try rows()
    try #require(before.count == 9)
    do {
      let database = try Database(.file(ledger))
      try database.run(change)
    }
    #expect(try rows() != before)
    let lines = Mutex<[String]>([])
    let log = Log(.normal) { line in lines.withLock { $0.append(line) } }
    _ = try await farm(log: log) { try await $0.get("/jobs/\(job.id)") }
    #expect(try rows() == before)
    #expect(
      lines.withLock { $0 }.contains {
        $0.contains("job=\(job.id)") && $0.contains("its table of segments changed on the disk")
      })
  }

  @Test func `a job whose segments did not change is not planned again`() async throws {
    let plannings = Mutex(0)
    let media = FakeMedia(afterPlanning: { _ in plannings.withLock { $0 += 1 } })
    let job = try await farm(media: media) { try await $0.submit() }
    #expect(plannings.withLock { $0 } == 1)
    // The job may still have the state from the first start, so wait for a lease.
    _ = try await farm(media: media) { farm in
      _ = try await farm.lease(farm.register())
      return try await farm.get("/jobs/\(job.id)")
    }
    #expect(plannings.withLock { $0 } == 1)
  }
}
