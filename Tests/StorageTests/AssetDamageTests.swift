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

/// Assets whose bytes or block digests change on the coordinator's disk.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssetDamageTests {
  private static let bytes = Data("a clip".utf8)
  private static let digest = Digest.of(bytes)
  private static let route = "/assets/\(digest)"

  private static func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  private static let damage = FailureReport(
    code: .damagedAsset, message: "a.mp4: other bytes", isPermanent: false)

  private func report(_ lease: Lease, to farm: TestFarm) async throws {
    let response = try await farm.post("/leases/\(lease.token)/failure", Self.damage)
    #expect(response.status == .noContent)
  }

  @Test func `a truncated asset counts as missing, and an upload repairs it`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Self.bytes)
    truncate(farm.directory.stored(Self.digest, in: "assets"), 3)
    #expect(try await farm.send(.head, Self.route).status == .notFound)
    #expect(
      try farm.directory.quarantined().map { $0.hasPrefix("asset-\(Self.digest)-") } == [true])
    #expect(try await farm.metric("sheaf_files_quarantined_total") == 1)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    #expect(try await farm.post("/jobs", submission).problem() == .missingAsset)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.head, Self.route).status == .ok)
    #expect(try await farm.post("/jobs", submission).status == .created)
  }

  @Test func `a truncated asset without block digests is detected too`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileManager.default.removeItem(atPath: farm.directory.stored(Self.digest, in: "blocks"))
    truncate(farm.directory.stored(Self.digest, in: "assets"), 3)
    let fresh = try await TestFarm(in: farm.directory.emptied(keeping: ["assets"]))
    #expect(try await fresh.send(.head, Self.route).status == .notFound)
  }

  @Test
  func `a job whose asset is damaged on disk fails and names it, and an upload repairs it`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "assets"), at: 2)
    try await report(lease, to: farm)
    let end = try await farm.end(of: job)
    #expect(end.failure?.code == "damaged-asset")
    #expect(end.failure?.message.hasPrefix("a.mp4: ") == true)
    #expect(
      end.failure?.message.hasSuffix(": submit the project again to upload the file") == true)
    #expect(try farm.directory.quarantined().count == 1)
    #expect(try await farm.send(.head, Self.route).status == .notFound)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.get, Self.route).content() == Self.bytes)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.lease(worker).job == job.id)
  }

  @Test func `an asset to which chunks refer is needed until the file is assembled`() async throws {
    let media = FakeMedia(
      refersToAssets: true,
      beforeFinish: { throw JobError(.damagedAsset, "the assembling process read damaged bytes") })
    let farm = try await TestFarm(media: media)
    let job = try await farm.submit()
    let worker = try await farm.register()
    try await eventually("the sound is mixed") { media.mixCount == 1 }
    var leases: [Lease] = []
    for _ in try await farm.segments(of: job) { leases.append(try await farm.lease(worker)) }
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "assets"), at: 2)
    for lease in leases { #expect(try await farm.deliver(lease).status == .ok) }
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == "damaged-asset")
    #expect(failure.message.hasPrefix("a.mp4: the coordinator's copy is damaged"))
    #expect(media.begunSounds.count == 1, "the file was assembled again in vain")
  }

  @Test func `asset bytes that change in transit do not count against the workers`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    for number in 0..<5 {
      let worker = try await farm.register(name: "host-\(number)")
      try await report(farm.lease(worker), to: farm)
    }
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.state == .rendering)
    #expect(try farm.directory.quarantined().isEmpty)
  }

  private static let absence = FailureReport(
    code: .missingAsset, message: "a.mp4: it is not there", isPermanent: true)

  @Test func `a worker that wrongly reports an asset as missing does not fail the job`()
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
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.state == .rendering)
    let worker = try await farm.register(name: "another")
    for _ in 0..<status.segments.total {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
  }

  /// The asset's file is missing, or it is in the quarantine because it was damaged.
  @Test(arguments: [false, true])
  func `the failure says whether an unavailable asset is damaged or missing`(
    isQuarantined: Bool
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    // The mixing process also needs the asset, and would fail the job first.
    try await eventually("the sound is mixed") { farm.media.mixCount == 1 }
    let path = farm.directory.stored(Self.digest, in: "assets")
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

  @Test func `an owner's upload repairs an asset with a flipped bit`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    #expect(try await ada.upload(Self.bytes).status == .created)
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "assets"), at: 2)
    #expect(try await ada.upload(Self.bytes).status == .created)
    #expect(
      try Data(contentsOf: URL(filePath: farm.directory.stored(Self.digest, in: "assets")))
        == Self.bytes)
    #expect(
      try farm.directory.quarantined().map { $0.hasPrefix("asset-\(Self.digest)-") } == [true])
    #expect(try await ada.send(.head, Self.route).status == .ok)
  }

  @Test func `on a farm without tokens, any upload repairs an asset with a flipped bit`()
    async throws
  {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "assets"), at: 2)
    _ = try await farm.upload(Self.bytes)
    #expect(
      try Data(contentsOf: URL(filePath: farm.directory.stored(Self.digest, in: "assets")))
        == Self.bytes)
    #expect(try farm.directory.quarantined().count == 1)
  }

  @Test func `an asset that is uploaded repeatedly is read once`() async throws {
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
    // A submission uses the asset, but does not change it.
    _ = try await farm.submit()
    _ = try await farm.upload(Self.bytes)
    #expect(reads.withLock { $0 } == 1)
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "assets"), at: 2)
    _ = try await farm.upload(Self.bytes)
    #expect(reads.withLock { $0 } > 1)
  }

  @Test func `a second upload replaces an asset's file only if the file is damaged`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let path = farm.directory.stored(Self.digest, in: "assets")
    #expect(
      try await TokenHolder(.submitter, "ada", of: farm).upload(Self.bytes).status == .created)
    let before = try Self.inode(path)
    #expect(
      try await TokenHolder(.submitter, "bob", of: farm).upload(Self.bytes).status == .created)
    #expect(try Self.inode(path) == before)
    // A damaged file is replaced. Readers that have it open still read the old bytes.
    let open = try #require(FileHandle(forReadingAtPath: path))
    try FileDamage.flipBit(of: path, at: 2)
    #expect(
      try await TokenHolder(.submitter, "eve", of: farm).upload(Self.bytes).status == .created)
    #expect(try Self.inode(path) != before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Self.bytes)
    #expect(try open.readToEnd() != Self.bytes)
    #expect(try farm.directory.quarantined().count == 1)
  }

  // MARK: Block digests

  @Test
  func `a large truncated asset without block digests is detected when a job names it`()
    async throws
  {
    let farm = try await TestFarm()
    let bytes = Data(count: 65 << 20)
    let asset = try await farm.upload(bytes)
    truncate(farm.directory.stored(asset.digest, in: "assets"), off_t(bytes.count - 1))
    let fresh = try await TestFarm(in: farm.directory.emptied(keeping: ["assets"]))
    let route = "/assets/\(asset.digest)"
    #expect(try await fresh.send(.head, route).status == .ok)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    #expect(try await fresh.post("/jobs", submission).problem() == .missingAsset)
    // The client therefore uploads it.
    #expect(try await fresh.send(.head, route).status == .notFound)
  }

  @Test(arguments: [false, true])
  func `missing or damaged block digests of a file under a media root are rebuilt`(isDamaged: Bool)
    async throws
  {
    let media = try TemporaryDirectory()
    let path = media.path("a.mp4")
    try Self.bytes.write(to: URL(filePath: path))
    let farm = try await TestFarm(mediaRoots: [media.path])
    let asset = AssetReference(
      digest: Self.digest, byteCount: Int64(Self.bytes.count), path: path)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    let job: JobStatus = try await farm.post("/jobs", submission).wire()
    #expect(try await farm.lease(farm.register()).job == job.id)
    let list = farm.directory.stored(Self.digest, in: "blocks")
    if isDamaged { try FileDamage.flipBit(of: list, at: 40) } else { unlink(list) }
    let expected = BlockDigests.of(Self.bytes)
    let content = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(expected.encoded.count - 1)"]
    ).content()
    #expect(content == Data(expected.encoded))
  }

  @Test func `a lease names the block digests that its assets are checked against`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let list = BlockDigests.of(Self.bytes)
    #expect(lease.assets.map(\.blocks) == [list.digest])
    let response = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(list.encoded.count - 1)"])
    #expect(try await Array(response.content()) == list.encoded)
  }

  @Test(arguments: [0, 40, 100]) func `damaged block digests are rebuilt`(
    place: Int
  ) async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try FileDamage.flipBit(of: farm.directory.stored(Self.digest, in: "blocks"), at: place)
    let list = BlockDigests.of(Self.bytes)
    let response = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(list.encoded.count - 1)"])
    #expect(try await Array(response.content()) == list.encoded)
    #expect(try await farm.send(.head, Self.route).status == .ok)
  }

  @Test func `an asset without block digests gets them when it is used`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    let directory = try farm.directory.emptied(keeping: ["assets"])
    let fresh = try await TestFarm(in: directory)
    _ = try await fresh.submit()
    let lease = try await fresh.lease(fresh.register())
    #expect(lease.assets.map(\.blocks) == [BlockDigests.of(Self.bytes).digest])
    #expect(
      FileManager.default.fileExists(atPath: fresh.directory.stored(Self.digest, in: "blocks")))
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a job from before block digests existed continues after the upgrade`(
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
}

extension TemporaryDirectory {
  /// Copies only some of the data directory's contents to a new folder, for another coordinator.
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
