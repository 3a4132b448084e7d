import Crypto
import FarmAPI
import Foundation
import HTTP
import SQLite
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Bytes that change on the coordinator's disk.
@Suite(.timeLimit(.minutes(1))) struct DamageTests {
  private static let bytes = Data("a clip".utf8)
  private static let digest = Digest.of(bytes)
  private static let route = "/assets/\(digest)"

  /// The path of an asset's file, or of its block digests.
  private static func path(_ store: String, _ digest: Digest = digest, in farm: TestFarm) -> String
  {
    farm.directory.path("data/\(store)/\(digest.description.prefix(2))/\(digest)")
  }

  /// The one file that a store has.
  private static func onlyPath(_ store: String, in farm: TestFarm) throws -> String {
    let root = farm.directory.path("data/\(store)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: root).filter {
      $0.contains("/")
    }
    try #require(files.count == 1)
    return "\(root)/\(files[0])"
  }

  private static func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  private func quarantined(_ farm: TestFarm) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: farm.directory.path("data/quarantine"))
  }

  private static let damage = FailureReport(
    code: FailureReport.damagedAssetCode, message: "a.mp4: other bytes", isPermanent: false)

  private func report(_ lease: Lease, to farm: TestFarm) async throws {
    let response = try await farm.post("/leases/\(lease.token)/failure", Self.damage)
    #expect(response.status == .noContent)
  }

  // MARK: Assets

  @Test func `a truncated asset is not there, and an upload repairs it`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Self.bytes)
    truncate(Self.path("assets", in: farm), 3)
    #expect(try await farm.send(.head, Self.route).status == .notFound)
    #expect(try quarantined(farm).map { $0.hasPrefix("asset-\(Self.digest)-") } == [true])
    #expect(try await farm.metric("sheaf_files_quarantined_total") == 1)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    #expect(try await farm.post("/jobs", submission).problem() == .missingAsset)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.head, Self.route).status == .ok)
    #expect(try await farm.post("/jobs", submission).status == .created)
  }

  @Test func `a truncated asset from before there were block digests is found too`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileManager.default.removeItem(atPath: Self.path("blocks", in: farm))
    truncate(Self.path("assets", in: farm), 3)
    let fresh = try await TestFarm(in: farm.directory.emptied(keeping: ["assets"]))
    #expect(try await fresh.send(.head, Self.route).status == .notFound)
  }

  @Test
  func `an asset that is damaged on the disk fails its job by name, and an upload repairs it`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    try FileDamage.flipBit(of: Self.path("assets", in: farm), at: 2)
    try await report(lease, to: farm)
    let end = try await farm.end(of: job)
    #expect(end.failure?.code == "damaged-asset")
    #expect(end.failure?.message.hasPrefix("a.mp4: ") == true)
    #expect(try quarantined(farm).count == 1)
    #expect(try await farm.send(.head, Self.route).status == .notFound)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.get, Self.route).content() == Self.bytes)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.lease(worker).job == job.id)
  }

  @Test func `an asset whose bytes change on their way is not its workers' fault`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    for number in 0..<5 {
      let worker = try await farm.register(name: "host-\(number)")
      try await report(farm.lease(worker), to: farm)
    }
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.state == .rendering)
    #expect(try quarantined(farm).isEmpty)
  }

  private static let absence = FailureReport(
    code: FailureReport.missingAssetCode, message: "a.mp4: it is not there", isPermanent: true)

  @Test func `an asset that is there ends no job because a worker says that it is missing`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    for number in 0..<5 {
      let worker = try await farm.register(name: "host-\(number)")
      let response = try await farm.post(
        "/leases/\(farm.lease(worker).token)/failure", Self.absence)
      #expect(response.status == .noContent)
    }
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .rendering)
  }

  /// The asset's file is removed, or it was damaged and is in the quarantine.
  @Test(arguments: [false, true])
  func `the coordinator says what became of an asset that a worker does not get`(
    isQuarantined: Bool
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let path = Self.path("assets", in: farm)
    if isQuarantined {
      try FileManager.default.moveItem(
        atPath: path, toPath: farm.directory.path("data/quarantine/asset-\(Self.digest)-x"))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(
      try await farm.post("/leases/\(lease.token)/failure", Self.absence).status == .noContent)
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == (isQuarantined ? "damaged-asset" : "missing-asset"))
    let finding =
      isQuarantined ? "damaged (it was moved to the quarantine)" : "missing"
    #expect(failure.message.hasPrefix("a.mp4: the coordinator's copy is \(finding): "))
  }

  @Test func `an owner's upload repairs an asset with a turned bit`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    #expect(try await ada.upload(Self.bytes).status == .created)
    try FileDamage.flipBit(of: Self.path("assets", in: farm), at: 2)
    #expect(try await ada.upload(Self.bytes).status == .created)
    #expect(try Data(contentsOf: URL(filePath: Self.path("assets", in: farm))) == Self.bytes)
    #expect(try quarantined(farm).map { $0.hasPrefix("asset-\(Self.digest)-") } == [true])
    #expect(try await ada.send(.head, Self.route).status == .ok)
  }

  @Test func `on a farm without tokens every upload repairs an asset with a turned bit`()
    async throws
  {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileDamage.flipBit(of: Self.path("assets", in: farm), at: 2)
    _ = try await farm.upload(Self.bytes)
    #expect(try Data(contentsOf: URL(filePath: Self.path("assets", in: farm))) == Self.bytes)
    #expect(try quarantined(farm).count == 1)
  }

  @Test func `an asset that is uploaded again and again is read once`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    let reads = Mutex(0)
    let folder = farm.directory.path("data/assets")
    FileReads.observe(under: folder) { _ in reads.withLock { $0 += 1 } }
    defer { FileReads.observe(under: folder, by: nil) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try await farm.upload(Self.bytes) } }
      try await group.waitForAll()
    }
    // A submission counts as use of the asset, and not as a change.
    _ = try await farm.submit()
    _ = try await farm.upload(Self.bytes)
    #expect(reads.withLock { $0 } == 1)
    try FileDamage.flipBit(of: Self.path("assets", in: farm), at: 2)
    _ = try await farm.upload(Self.bytes)
    #expect(reads.withLock { $0 } > 1)
  }

  @Test func `a second upload leaves the file of an asset as it is, unless that is damaged`()
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let path = Self.path("assets", in: farm)
    #expect(
      try await TokenHolder(.submitter, "ada", of: farm).upload(Self.bytes).status == .created)
    let before = try Self.inode(path)
    #expect(
      try await TokenHolder(.submitter, "bob", of: farm).upload(Self.bytes).status == .created)
    #expect(try Self.inode(path) == before)
    // A damaged one gives way, and stays what it is for whoever has it open.
    let open = try #require(FileHandle(forReadingAtPath: path))
    try FileDamage.flipBit(of: path, at: 2)
    #expect(
      try await TokenHolder(.submitter, "eve", of: farm).upload(Self.bytes).status == .created)
    #expect(try Self.inode(path) != before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Self.bytes)
    #expect(try open.readToEnd() != Self.bytes)
    #expect(try quarantined(farm).count == 1)
  }

  // MARK: Block digests

  @Test func `a lease says by which block digests its assets are checked`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let list = BlockDigests.of(Self.bytes)
    #expect(lease.assets.map(\.blocks) == [list.digest])
    let response = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(list.encoded.count - 1)"])
    #expect(try await Array(response.content()) == list.encoded)
  }

  @Test(arguments: [0, 40, 100]) func `block digests that are damaged are made again`(
    place: Int
  ) async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileDamage.flipBit(of: Self.path("blocks", in: farm), at: place)
    let list = BlockDigests.of(Self.bytes)
    let response = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(list.encoded.count - 1)"])
    #expect(try await Array(response.content()) == list.encoded)
    #expect(try await farm.send(.head, Self.route).status == .ok)
  }

  @Test func `block digests of an asset from before are made when it is used`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    let directory = try farm.directory.emptied(keeping: ["assets"])
    let fresh = try await TestFarm(in: directory)
    _ = try await fresh.submit()
    let lease = try await fresh.lease(fresh.register())
    #expect(lease.assets.map(\.blocks) == [BlockDigests.of(Self.bytes).digest])
    #expect(FileManager.default.fileExists(atPath: Self.path("blocks", in: fresh)))
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a job from before there were block digests goes on after the upgrade`(
    security: FarmSecurity
  ) async throws {
    let farm = try await TestFarm(ledger: .onDisk, security: security)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    #expect(try await farm.deliver(first).status == .ok)
    let count = try await farm.segments(of: job).count
    await farm.coordinator.stop()
    let directory = try farm.directory.emptied(
      keeping: ["assets", "chunks", "ledger.sqlite", "plans", "projects"])
    let fresh = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    let list = BlockDigests.of(Self.bytes)
    for _ in 1..<count {
      let lease = try await fresh.lease(worker)
      #expect(lease.segment != first.segment)
      #expect(lease.assets.map(\.blocks) == [list.digest])
      #expect(try await fresh.deliver(lease).status == .ok)
    }
    #expect(try await fresh.end(of: job).state == .completed)
  }

  // MARK: Chunks, indexes and plans

  @Test func `a chunk that changed on the disk is rendered again, and its worker is not to blame`()
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
          of: Self.path("chunks", Digest.of(TestFarm.chunk(of: lease)), in: farm), at: 1)
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
    #expect(try quarantined(farm).map { $0.hasPrefix("chunk-") } == [true])
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

  /// Makes a job's file, and changes or removes it.
  @Test(arguments: ["flipped", "cut", "gone"])
  func `a finished file that is damaged is never handed out, and its job fails`(
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
      try quarantined(farm).filter { $0.hasPrefix("output-") }.count == (damage == "gone" ? 0 : 1))
    #expect(try await farm.send(.get, route).problem() == .wrongState)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
  }

  @Test func `a media index that changed on the disk is made again`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.lease(farm.register(), after: farm.submit())
    #expect(farm.media.probedNames == ["a.mp4"])
    _ = try await farm.lease(farm.register(), after: farm.submit())
    #expect(farm.media.probedNames == ["a.mp4"])
    let index = Self.path("indexes", in: farm)
    try FileDamage.flipBit(
      of: index, at: try Data(contentsOf: URL(fileURLWithPath: index)).count / 2)
    _ = try await farm.lease(farm.register(), after: farm.submit(priority: 1))
    #expect(farm.media.probedNames == ["a.mp4", "a.mp4"])
  }

  /// Changes the only plan of a farm.
  private func spoilPlan(_ farm: TestFarm) throws {
    let plan = try Self.onlyPath("plans", in: farm)
    let size = try Data(contentsOf: URL(filePath: plan)).count
    try Data(count: size).write(to: URL(filePath: plan))
  }

  @Test func `a plan that changed on the disk is made again, and its job goes on`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit(rerenders: false)
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    #expect(try await farm.deliver(first).status == .ok)
    try spoilPlan(farm)
    var leased: Set<Int> = []
    while try await !farm.get("/jobs/\(job.id)", as: JobStatus.self).state.isFinal {
      // The lease that finds the damage is not granted.
      let response = try await farm.send(.post, "/workers/\(worker)/leases?wait=1")
      guard response.status == .ok else { continue }
      let lease: Lease = try await response.wire()
      leased.insert(lease.segment)
      #expect(try await farm.deliver(lease).status == .ok)
    }
    #expect(!leased.isEmpty)
    // The chunk from before returned by its content.
    #expect(!leased.contains(first.segment))
    let end = try await farm.end(of: job)
    #expect(end.state == .completed)
    #expect(end.failure == nil)
    #expect(try quarantined(farm).map { $0.hasPrefix("plan-") } == [true])
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
    #expect(try quarantined(farm).count == 1)
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
  func `a project that changed on the disk fails its job before it is planned`(
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
      while try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state != .planning {
        await Task.yield()
      }
      try FileDamage.flipBit(of: Self.onlyPath("projects", in: farm), at: 20)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    #expect(try await farm.end(of: job).failure?.code == "damaged-project")
  }
}

extension TestFarm {
  /// Waits for a lease of a job.
  fileprivate func lease(_ worker: String, after job: JobStatus) async throws -> Lease {
    var lease = try await lease(worker)
    while lease.job != job.id {
      _ = try await deliver(lease)
      lease = try await self.lease(worker)
    }
    return lease
  }
}

extension TemporaryDirectory {
  /// A folder with only some of what the data directory here has, for a coordinator that starts afresh.
  fileprivate func emptied(keeping names: [String]) throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: copy.path("data"), withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.copyItem(
        atPath: path("data/\(name)"), toPath: copy.path("data/\(name)"))
    }
    return copy
  }
}
