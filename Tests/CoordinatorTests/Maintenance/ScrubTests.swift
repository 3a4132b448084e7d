import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// The scrub, which searches for files whose bytes changed on disk.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ScrubTests {
  /// A clock that advances only by waiting.
  private final class Time: Sendable {
    private let now = Mutex(Duration.zero)

    var elapsed: Duration { now.withLock { $0 } }

    var clock: Scrubber.Clock {
      Scrubber.Clock(
        now: { self.now.withLock { $0 } }, wait: { length in self.now.withLock { $0 += length } })
    }
  }

  private let time = Time()

  private func farm(
    bytesPerSecond: Int64 = 1 << 30, clock: Scrubber.Clock? = nil
  ) async throws -> TestFarm {
    var storage = StorageSettings()
    storage.scrubRate = bytesPerSecond
    return try await TestFarm(storage: storage, scrubClock: clock ?? time.clock)
  }

  /// The length of the file with the block digests of an asset.
  private static func listByteCount(_ byteCount: Int64) -> Int64 {
    Int64(BlockDigests.encodedByteCount(byteCount: byteCount) + Digest.byteCount)
  }

  private func status(_ farm: TestFarm) async throws -> ScrubStatus { try await farm.get("/scrub") }

  /// Delivers a job's chunks, and waits for its end. After that, the job no longer reads the stores.
  ///
  /// - Returns: the worker that rendered it.
  @discardableResult
  private func complete(_ job: JobStatus, on farm: TestFarm) async throws -> String {
    let worker = try await farm.register()
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
    return worker
  }

  @Test func `intact files are read and left alone`() async throws {
    let farm = try await farm()
    let asset = try await farm.upload(Data("a clip".utf8))
    try await farm.coordinator.scrubOnce()
    let status = try await status(farm)
    #expect(status.passes == 1)
    // The asset and its block digests.
    let bytes = 6 + Self.listByteCount(6)
    #expect((status.files, status.filesRead) == (2, 2))
    #expect((status.bytes, status.bytesRead, status.totalBytesRead) == (bytes, bytes, bytes))
    #expect(status.damagedFiles == 0)
    #expect(try await farm.send(.head, "/assets/\(asset.digest)").status == .ok)
  }

  @Test func `an asset without block digests gets them`() async throws {
    let farm = try await farm()
    let bytes = Data("a clip".utf8)
    let asset = try await farm.upload(bytes)
    let list = farm.directory.stored(asset.digest, in: "blocks")
    try FileManager.default.removeItem(atPath: list)
    try await farm.coordinator.scrubOnce()
    #expect(BlockDigests(storedAt: list) == BlockDigests.of(bytes))
    #expect(try await status(farm).damagedFiles == 0)
  }

  @Test func `a flipped bit in an asset is found, and the job that needs it fails and names it`()
    async throws
  {
    let farm = try await farm()
    let job = try await farm.submit()
    _ = try await farm.lease(farm.register())
    let digest = Digest.of(Data("a clip".utf8))
    try FileDamage.flipBit(of: farm.directory.stored(digest, in: "assets"))
    try await farm.coordinator.scrubOnce()
    let status = try await status(farm)
    #expect(status.damagedFiles == 1)
    let found = try await farm.metric("sheaf_scrub_damaged_total")
    #expect(found == 1)
    let quarantined = try await farm.metric("sheaf_files_quarantined_total")
    #expect(quarantined == 1)
    let end = try await farm.end(of: job)
    #expect(end.failure?.code == "damaged-asset")
    #expect(end.failure?.message.hasPrefix("a.mp4: ") == true)
    #expect(try await farm.send(.head, "/assets/\(digest)").status == .notFound)
  }

  @Test func `a flipped bit in a chunk is found, and the segment is rendered again`() async throws {
    let farm = try await farm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    var lease = try await farm.lease(worker)
    // Without the first segment nothing is appended.
    while lease.segment == 0 { lease = try await farm.lease(worker) }
    #expect(try await farm.deliver(lease).status == .ok)
    try FileDamage.flipBit(
      of: farm.directory.stored(Digest.of(TestFarm.chunk(of: lease)), in: "chunks"))
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 1)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[lease.segment].state == .pending)
    #expect(try await farm.get("/workers", as: [WorkerStatus].self).map(\.segmentsFailed) == [0])
  }

  @Test func `a flipped bit in a finished file is found and fails its job`() async throws {
    let farm = try await farm()
    let job = try await farm.submit()
    let worker = try await complete(job, on: farm)
    let output = farm.directory.path("data/outputs/\(job.id).mp4")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
    try FileDamage.flipBit(of: output)
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 1)
    let failed = try await farm.end(of: job)
    #expect(failed.state == .failed)
    #expect(failed.failure?.code == "damaged-output")
    #expect(failed.output == nil)
    #expect(!FileManager.default.fileExists(atPath: output))
    // A retry assembles the file again.
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    try await farm.finish(job, by: worker)
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == bytes)
  }

  @Test func `a flipped bit in a plan is found, and the job is planned again`() async throws {
    let farm = try await farm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    let segments = try await farm.segments(of: job)
    try FileDamage.flipBit(of: farm.directory.onlyFile(in: "plans"))
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 1)
    #expect(try await farm.isStopped(lease))
    for _ in segments {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
    #expect(try await farm.metric("sheaf_files_quarantined_total") == 1)
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 1)
  }

  @Test func `a flipped bit in a project is found, and the project is not used again`() async throws
  {
    let farm = try await farm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    _ = try await farm.lease(worker)
    let project = try farm.directory.onlyFile(in: "projects")
    try FileDamage.flipBit(of: project)
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 1)
    #expect(!FileManager.default.fileExists(atPath: project))
    // A job that is already planned does not need its project.
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .rendering)
  }

  @Test
  func `flipped bits in block digests and a media index are found, and both are rebuilt`()
    async throws
  {
    let farm = try await farm()
    try await complete(farm.submit(), on: farm)
    let bytes = Data("a clip".utf8)
    let (list, index) = (
      farm.directory.stored(Digest.of(bytes), in: "blocks"),
      farm.directory.stored(Digest.of(bytes), in: "indexes")
    )
    try FileDamage.flipBit(of: list)
    try FileDamage.flipBit(of: index)
    try await farm.coordinator.scrubOnce()
    #expect(try await status(farm).damagedFiles == 2)
    #expect(BlockDigests(storedAt: list) == BlockDigests.of(bytes))
    #expect(!FileManager.default.fileExists(atPath: index))
    // The next job builds the index again.
    #expect(farm.media.probedNames.count == 1)
    _ = try await farm.submit(priority: 1)
    try await eventually("the asset is indexed again") { farm.media.probedNames.count >= 2 }
  }

  @Test func `damaged block digests of a damaged asset are removed with it`() async throws {
    let farm = try await farm()
    try await complete(farm.submit(), on: farm)
    let digest = Digest.of(Data("a clip".utf8))
    let files = ["blocks", "assets"].map { farm.directory.stored(digest, in: $0) }
    for file in files { try FileDamage.flipBit(of: file) }
    try await farm.coordinator.scrubOnce()
    #expect(files.filter(FileManager.default.fileExists) == [])
  }

  @Test func `damaged block digests of a file under a media root are rebuilt`() async throws {
    let media = try TemporaryDirectory()
    let bytes = Data("a clip".utf8)
    try bytes.write(to: URL(filePath: media.path("a.mp4")))
    var storage = StorageSettings()
    storage.scrubRate = 1 << 30
    let farm = try await TestFarm(
      storage: storage, mediaRoots: [media.path], scrubClock: time.clock)
    let asset = AssetReference(
      digest: Digest.of(bytes), byteCount: Int64(bytes.count), path: media.path("a.mp4"))
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    try await complete(farm.post("/jobs", submission).wire(), on: farm)
    let list = farm.directory.stored(asset.digest, in: "blocks")
    try FileDamage.flipBit(of: list)
    try await farm.coordinator.scrubOnce()
    #expect(BlockDigests(storedAt: list) == BlockDigests.of(bytes))
    #expect(try await status(farm).damagedFiles == 1)
  }

  @Test(arguments: [true, false])
  func `a pass continues where it stopped after a restart`(endsCleanly: Bool) async throws {
    let directory = try TemporaryDirectory()
    var storage = StorageSettings()
    storage.scrubRate = 1000
    let bytes: Int64 = 100_000
    do {
      // An asset takes 100 s. The search stops before the fourth one.
      let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
      let gate = DispatchSemaphore(value: 0)
      let time = Time()
      let clock = Scrubber.Clock(now: { time.elapsed }) { length in
        if time.elapsed > .seconds(205) {
          pause.yield()
          gate.wait()
          gate.signal()
        }
        time.clock.wait(length)
      }
      let farm = try await TestFarm(in: directory, storage: storage, scrubClock: clock)
      for number in 0..<4 {
        _ = try await farm.upload(Data(repeating: UInt8(number), count: Int(bytes)))
      }
      let pass = Task { try await farm.coordinator.scrubOnce() }
      for await _ in pauses { break }
      #expect(try await status(farm).filesRead == 7)
      let position = directory.path("data/scrub-position")
      #expect(FileManager.default.fileExists(atPath: position))
      // A coordinator saves the position when it stops. One that is killed has only the position that it saved earlier.
      let kept = try Data(contentsOf: URL(filePath: position))
      try FileManager.default.removeItem(atPath: position)
      pass.cancel()
      gate.signal()
      await #expect(throws: CancellationError.self) { try await pass.value }
      if !endsCleanly { try kept.write(to: URL(filePath: position)) }
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, storage: storage, scrubClock: time.clock)
    try await farm.coordinator.scrubOnce()
    let status = try await status(farm)
    let lists = 4 * Self.listByteCount(bytes)
    #expect((status.files, status.filesRead, status.passes) == (8, 8, 1))
    #expect((status.bytes, status.bytesRead) == (4 * bytes + lists, 4 * bytes + lists))
    #expect(status.totalBytesRead == bytes)
    // The next pass begins with the first file.
    try await farm.coordinator.scrubOnce()
    #expect(try await self.status(farm).totalBytesRead == 5 * bytes + lists)
  }

  @Test func `the status and the metrics show the progress of a pass`() async throws {
    // The search stops between the block digests and the asset until the test has checked the status.
    let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let clock = Scrubber.Clock(now: { .zero }) { _ in
      pause.yield()
      gate.wait()
      gate.signal()
    }
    let farm = try await farm(bytesPerSecond: 100_000, clock: clock)
    _ = try await farm.upload(Data(repeating: 1, count: 400_000))
    async let pass: Void = farm.coordinator.scrubOnce()
    defer { gate.signal() }
    for await _ in pauses { break }
    var status = try await status(farm)
    let list = Self.listByteCount(400_000)
    let bytes = 400_000 + list
    #expect((status.files, status.filesRead, status.passes) == (2, 1, 0))
    #expect((status.bytes, status.bytesRead) == (bytes, list))
    #expect(status.finishedAt == nil)
    try await expectMetrics(["pass_bytes": Int(bytes), "pass_read_bytes": Int(list)], farm)
    try await expectMetrics(
      ["bytes_total": Int(list), "passes_total": 0, "damaged_total": 0], farm)

    gate.signal()
    try await pass
    try await farm.coordinator.scrubOnce()
    status = try await self.status(farm)
    #expect((status.files, status.filesRead, status.passes) == (2, 2, 2))
    #expect((status.bytes, status.bytesRead) == (bytes, bytes))
    #expect(status.finishedAt != nil)
    try await expectMetrics(["pass_bytes": Int(bytes), "pass_read_bytes": Int(bytes)], farm)
    try await expectMetrics(
      ["bytes_total": 2 * Int(bytes), "passes_total": 2, "damaged_total": 0], farm)
  }

  @Test func `a pass that finds damage ends with all of its bytes counted, and so do later ones`()
    async throws
  {
    let farm = try await farm()
    var assets: [AssetReference] = []
    for number in 0..<3 {
      assets.append(try await farm.upload(Data(repeating: UInt8(number), count: 400_000)))
    }
    // Reading the first asset stops at its first block. The block digests of the second are rebuilt from the asset.
    try FileDamage.flipBit(of: farm.directory.stored(assets[0].digest, in: "assets"), at: 0)
    try FileDamage.flipBit(of: farm.directory.stored(assets[1].digest, in: "blocks"))
    try await farm.coordinator.scrubOnce()
    var status = try await status(farm)
    #expect(status.damagedFiles == 2)
    #expect((status.files, status.filesRead) == (6, 6))
    #expect(status.bytesRead == status.bytes)
    #expect(status.bytesRead == status.totalBytesRead)
    try await expectMetrics(
      ["pass_bytes": Int(status.bytes), "pass_read_bytes": Int(status.bytes)], farm)
    try await farm.coordinator.scrubOnce()
    status = try await self.status(farm)
    #expect(status.bytesRead == status.bytes)
  }

  /// Compares metrics of the scrub. The keys are their names without the prefix `sheaf_scrub_`.
  private func expectMetrics(_ expected: [String: Int], _ farm: TestFarm) async throws {
    for (name, value) in expected {
      #expect(try await farm.metric("sheaf_scrub_\(name)") == value, "\(name)")
    }
  }

  @Test func `the scrub does not read faster than its limit`() async throws {
    let farm = try await farm(bytesPerSecond: 100_000)
    for number in 0..<3 {
      _ = try await farm.upload(Data(repeating: UInt8(number), count: 400_000))
    }
    try await farm.coordinator.scrubOnce()
    let lists = 3 * Self.listByteCount(400_000)
    #expect(try await status(farm).totalBytesRead == 1_200_000 + lists)
    // The last block is read as soon as the time for the 1,200,000 - 137,856 bytes before it is over.
    #expect(time.elapsed >= .seconds(10.6))
    #expect(time.elapsed <= .seconds(12))
  }

  @Test func `the pace admits as many bytes as time allows and does not catch up`() {
    var pace = ScrubPace(bytesPerSecond: 1000)
    #expect(pace.wait(before: 500, at: .zero) == .zero)
    #expect(pace.wait(before: 500, at: .zero) == .milliseconds(500))
    #expect(pace.wait(before: 1000, at: .milliseconds(600)) == .milliseconds(400))
    #expect(pace.wait(before: 10, at: .seconds(100)) == .zero)
    #expect(pace.wait(before: 10, at: .seconds(100)) == .milliseconds(10))
  }
}
