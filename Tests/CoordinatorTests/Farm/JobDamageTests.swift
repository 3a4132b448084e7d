import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import SQL
import SQLite
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Chunks, finished files, indexes, plans and projects that change on the coordinator's disk.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobDamageTests {
  @Test
  func `a chunk that changed on disk is rendered again and does not count against its worker`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let count = try await farm.segments(of: job).count
    // The first segment is held back, so that nothing is appended yet.
    var first: Lease?
    for _ in 0..<count {
      let lease = try await farm.lease(worker)
      if lease.segment == 0 {
        first = lease
      } else {
        #expect(try await farm.deliver(lease).status == .ok)
      }
      if lease.segment == 1 {
        try FileDamage.flipBit(
          of: farm.directory.stored(Digest.of(TestFarm.chunk(of: lease)), in: "chunks"), at: 1)
      }
    }
    #expect(try await farm.deliver(#require(first)).status == .ok)
    let again = try await farm.lease(worker)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(output == Data((0..<count).map { "<\($0)>" }.joined().utf8))
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [0])
    #expect(try await farm.metric("sheaf_chunks_lost_total") == 1)
    #expect(try farm.directory.quarantined().map { $0.hasPrefix("chunk-") } == [true])
  }

  @Test func `a finished file that changes before it is published is assembled again`() async throws
  {
    let assemblies = Mutex(0)
    let media = FakeMedia(afterFinish: { path in
      let isFirst = assemblies.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst { try FileDamage.flipBit(of: path, at: 4) }
    })
    let farm = try await TestFarm(media: media)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let segments = try await farm.segments(of: job)
    for _ in segments { #expect(try await farm.deliver(farm.lease(worker)).status == .ok) }
    #expect(try await farm.end(of: job).state == .completed)
    #expect(assemblies.withLock { $0 } == 2)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(output == Data(segments.indices.map { "<\($0)>" }.joined().utf8))
  }

  /// Completes a job, and damages or removes its file.
  @Test(arguments: ["flipped", "cut", "gone"])
  func `a damaged finished file is never served, and its job fails`(
    damage: String
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
    let route = "/jobs/\(job.id)/output"
    #expect(try await farm.send(.get, route).status == .ok)
    let file = farm.directory.path("data/outputs/\(job.id).mp4")
    switch damage {
    case "flipped": try FileDamage.flipBit(of: file, at: 3)
    case "cut": truncate(file, 4)
    default: try FileManager.default.removeItem(atPath: file)
    }
    let response = try await farm.send(.get, route, headers: ["Range": "bytes=0-1"])
    #expect(try await response.problem() == .wrongState)
    let failed = try await farm.end(of: job)
    #expect(failed.failure?.code == "damaged-output")
    #expect(failed.output == nil)
    #expect(try await farm.metric("sheaf_outputs_lost_total") == 1)
    #expect(
      try farm.directory.quarantined().filter { $0.hasPrefix("output-") }.count
        == (damage == "gone" ? 0 : 1))
    #expect(try await farm.send(.get, route).problem() == .wrongState)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
  }

  @Test func `a media index that changed on disk is rebuilt`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.lease(farm.register(), after: farm.submit())
    #expect(farm.media.probedNames == ["a.mp4"])
    _ = try await farm.lease(farm.register(), after: farm.submit())
    #expect(farm.media.probedNames == ["a.mp4"])
    let index = farm.directory.stored(.of(Data("a clip".utf8)), in: "indexes")
    try FileDamage.flipBit(
      of: index, at: try Data(contentsOf: URL(fileURLWithPath: index)).count / 2)
    _ = try await farm.lease(farm.register(), after: farm.submit(priority: 1))
    #expect(farm.media.probedNames == ["a.mp4", "a.mp4"])
  }

  /// Overwrites the only plan of a farm.
  private func spoilPlan(_ farm: TestFarm) throws {
    let plan = try farm.directory.onlyFile(in: "plans")
    let size = try Data(contentsOf: URL(filePath: plan)).count
    try Data(count: size).write(to: URL(filePath: plan))
  }

  @Test func `a job whose plan changed on disk is planned again and continues`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit(rerenders: false)
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    #expect(try await farm.deliver(first).status == .ok)
    try spoilPlan(farm)
    var leased: Set<Int> = []
    try await eventually("all segments are delivered") {
      // The request for a lease that finds the damage gets no lease.
      let response = try await farm.send(.post, "/workers/\(worker)/leases?wait=1")
      if response.status == .ok {
        let lease: Lease = try await response.wire()
        leased.insert(lease.segment)
        #expect(try await farm.deliver(lease).status == .ok)
      }
      return try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state.isFinal
    }
    #expect(!leased.isEmpty)
    // The earlier chunk was reused by its content key.
    #expect(!leased.contains(first.segment))
    let end = try await farm.end(of: job)
    #expect(end.state == .completed)
    #expect(end.failure == nil)
    #expect(try farm.directory.quarantined().map { $0.hasPrefix("plan-") } == [true])
    #expect(try await farm.metric("sheaf_plans_lost_total") == 1)
  }

  @Test func `a job whose plan changed before a retry is planned again`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    _ = try await farm.lease(worker)
    let segments = try await farm.segments(of: job)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    try spoilPlan(farm)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    for _ in segments {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
    #expect(try farm.directory.quarantined().count == 1)
  }

  @Test func `a media process that reads a damaged plan does not fail the job`() async throws {
    let damage = JobError("damaged-plan", "its bytes have changed")
    let farm = try await TestFarm(media: FakeMedia(assemblyFailures: [damage]))
    let job = try await farm.submit()
    let worker = try await farm.register()
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a job whose project changed on disk fails before it is planned`(
    security: FarmSecurity
  )
    async throws
  {
    let media = FakeMedia(planning: .never)
    let directory = try TemporaryDirectory()
    let job: JobStatus
    do {
      let farm = try await TestFarm(
        media: media, in: directory, ledger: .onDisk, security: security)
      job = try await farm.submit()
      try await eventually("the job is being planned") {
        try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .planning
      }
      try FileDamage.flipBit(of: farm.directory.onlyFile(in: "projects"), at: 20)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    #expect(try await farm.end(of: job).failure?.code == "damaged-project")
  }
}

extension TestFarm {
  /// Waits for a lease of a job, and delivers the segments of other jobs meanwhile.
  fileprivate func lease(_ worker: String, after job: JobStatus) async throws -> Lease {
    var lease = try await lease(worker)
    while lease.job != job.id {
      _ = try await deliver(lease)
      lease = try await self.lease(worker)
    }
    return lease
  }
}
