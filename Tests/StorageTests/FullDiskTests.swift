import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Processes
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// The effects of a full disk. Farms on real small disks use tokens; farms in memory do not.
@Suite(.mayBlock) struct FullDiskTests {
  private func readiness(of farm: TestFarm) async throws -> Response {
    try await farm.respond(to: .get, "/readyz")
  }

  private func settings(reserve: Int64) -> StorageSettings {
    var settings = StorageSettings()
    settings.reserve = reserve
    return settings
  }

  /// Renders and delivers the rest of a job, which must complete.
  private func finish(_ job: JobStatus, on farm: TestFarm, by worker: String) async throws {
    let status = try await end(of: job, on: farm, by: worker)
    #expect(status.state == .completed, "\(status.failure?.message ?? "")")
  }

  /// Renders and delivers until a job ends.
  private func end(of job: JobStatus, on farm: TestFarm, by worker: String) async throws
    -> JobStatus
  {
    try await farm.finish(job, by: worker)
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)))
  func `new work is refused below the disk reserve, and leased work can still finish`() async throws
  {
    let disk = try SmallDisk(mebibytes: 32)
    defer { withExtendedLifetime(disk) {} }
    let tokens = try FarmTokens(data: disk.directory.path("data"))
    let farm = try await TestFarm(
      in: disk.directory, ledger: .onDisk, storage: settings(reserve: 8 << 20), tokens: tokens)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    try disk.fill(butFor: 6 << 20)

    let problem = try await readiness(of: farm)
    #expect(problem.status == .serviceUnavailable)
    let text = String(decoding: try await problem.content(), as: UTF8.self)
    #expect(text.contains("too few for the reserve of 8388608"))
    let bytes = Data("another clip".utf8)
    let upload = try await farm.send(.put, "/assets/\(Digest.of(bytes))", body: bytes)
    #expect(upload.status == .insufficientStorage)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project,
      assets: [
        "a.mp4": AssetReference(digest: Digest.of(Data("a clip".utf8)), byteCount: 6)
      ])
    #expect(try await farm.post("/jobs", submission).status == .insufficientStorage)
    #expect(
      try await farm.send(.post, "/workers/\(worker)/leases?wait=60").status
        == .serviceUnavailable)
    #expect(try await farm.deliver(lease).status == .ok)

    disk.free()
    #expect(try await readiness(of: farm).status == .ok)
    _ = try await farm.upload(bytes)
    try await finish(job, on: farm, by: worker)
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)),
    arguments: ["file", "chunked"])
  func `a fetch that runs out of disk space is repeated when there is room`(path: String)
    async throws
  {
    let disk = try SmallDisk(mebibytes: 32)
    defer { withExtendedLifetime(disk) {} }
    let tokens = try FarmTokens(data: disk.directory.path("data"))
    let bytes = Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    let server = try MediaServer(bytes)
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = true
    let farm = try await TestFarm(
      in: disk.directory, ledger: .onDisk, storage: settings(reserve: 1 << 20), sources: sources,
      tokens: tokens)
    try disk.fill(butFor: 6 << 20)
    let project = #"{"version": 1, "sequence": [{"clip": "\#(server.origin)/\#(path)"}]}"#
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: [:])
    ).wire()
    try await eventually("the fetch is retried") { server.requests.count >= 2 }
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .planning)
    #expect(try await readiness(of: farm).status == .ok)

    disk.free()
    let lease = try await farm.lease(farm.register())
    #expect(lease.assets.map(\.digest) == [Digest.of(bytes)])
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)))
  func `a completely full disk loses nothing acknowledged, and work resumes when there is room`()
    async throws
  {
    let disk = try SmallDisk(mebibytes: 16)
    defer { withExtendedLifetime(disk) {} }
    let tokens = try FarmTokens(data: disk.directory.path("data"))
    let farm = try await TestFarm(
      in: disk.directory, ledger: .onDisk, storage: settings(reserve: 0), tokens: tokens)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let kept = try await farm.lease(worker)
    #expect(try await farm.deliver(kept).status == .ok)
    let lease = try await farm.lease(worker)
    try disk.fill()

    let refused = try await farm.deliver(lease).status
    #expect([.insufficientStorage, .serviceUnavailable].contains(refused))
    #expect(try await readiness(of: farm).status == .serviceUnavailable)
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(beat.status == .ok)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[kept.segment].state == .completed)

    disk.free()
    #expect(try await farm.deliver(lease).status == .ok)
    try await finish(job, on: farm, by: worker)
    let check = try Program.coordinator.run([
      "check", "--data", disk.directory.path("data"), "--chunks",
    ])
    #expect(check.status == 0, "\(check.standardOutput)\(check.standardError)")
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)))
  func `a waiting worker gets no new work once the disk is full`() async throws {
    let disk = try SmallDisk(mebibytes: 32)
    defer { withExtendedLifetime(disk) {} }
    let tokens = try FarmTokens(data: disk.directory.path("data"))
    let farm = try await TestFarm(
      in: disk.directory, ledger: .onDisk, storage: settings(reserve: 8 << 20), tokens: tokens)
    _ = try await farm.submit()
    let busy = try await farm.register()
    var leases: [Lease] = []
    for _ in 0..<9 { leases.append(try await farm.lease(busy)) }
    let waiting = try await farm.register()
    let wait = Task { try await farm.send(.post, "/workers/\(waiting)/leases?wait=60").status }
    try await eventually("the request waits") {
      try await farm.metric("sheaf_waiting_requests") == 1
    }
    try disk.fill(butFor: 6 << 20)
    _ = try await farm.send(.delete, "/leases/\(leases[0].token)")
    #expect(try await wait.value == .serviceUnavailable)
    disk.free()
    #expect(try await farm.lease(waiting).segment == leases[0].segment)
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)),
    arguments: [0, 64 << 10, 256 << 10])
  func `a restart on a full disk does not fail the job`(room: Int) async throws {
    let disk = try SmallDisk(mebibytes: 16)
    defer { withExtendedLifetime(disk) {} }
    let tokens = try FarmTokens(data: disk.directory.path("data"))
    let data = disk.directory.path("data")
    let full = JobError("disk-full", "cannot write the file")
    let job = try await assembling(
      in: disk.directory, failures: Array(repeating: full, count: 99), tokens)
    try await untilUnlocked(data)
    try disk.fill(butFor: room)
    do {
      let farm = try await TestFarm(in: disk.directory, ledger: .onDisk, tokens: tokens)
      let status: JobStatus = try await farm.get("/jobs/\(job)")
      // The output is small enough to fit in the room that the ledger leaves.
      #expect([.assembling, .completed].contains(status.state))
      await farm.coordinator.stop()
    } catch let error as StorageError {
      #expect(error.message.contains("the ledger cannot be opened"))
    }
    try await untilUnlocked(data)
    disk.free()
    let farm = try await TestFarm(
      in: disk.directory, ledger: .onDisk, storage: settings(reserve: 0), tokens: tokens)
    let status = try await farm.end(of: farm.get("/jobs/\(job)"))
    #expect(status.state == .completed, "\(status.failure?.message ?? "")")
    await farm.coordinator.stop()
  }

  /// Renders a job whose assembly fails with `failures`, stops the coordinator, and returns the job's id.
  private func assembling(
    in directory: TemporaryDirectory, failures: [JobError], _ tokens: FarmTokens
  ) async throws -> String {
    let farm = try await TestFarm(
      media: FakeMedia(assemblyFailures: failures), in: directory, ledger: .onDisk,
      storage: settings(reserve: 0), tokens: tokens)
    let job = try await farm.submit()
    let worker = try await farm.register()
    try await farm.finish(job, by: worker) { $0 == .assembling }
    await farm.coordinator.stop()
    return job.id
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job that runs out of disk space is assembled again when there is room`() async throws {
    let full = JobError("disk-full", "cannot write the file")
    let farm = try await TestFarm(media: FakeMedia(assemblyFailures: [full, full]))
    let job = try await farm.submit()
    try await finish(job, on: farm, by: farm.register())
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose media process is killed is assembled again`() async throws {
    let killed = JobError("media-process-killed", "its media process was killed")
    let farm = try await TestFarm(media: FakeMedia(assemblyFailures: [killed, killed]))
    let job = try await farm.submit()
    try await finish(job, on: farm, by: farm.register())
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose media process cannot be started continues when it can`() async throws {
    let failure = ProcessError("cannot start a media process", EAGAIN)
    let farm = try await TestFarm(media: FakeMedia(assemblyFailures: [failure]))
    let job = try await farm.submit()
    try await finish(job, on: farm, by: farm.register())
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose media process is killed repeatedly fails`() async throws {
    let killed = JobError("media-process-killed", "its media process was killed")
    let farm = try await TestFarm(
      media: FakeMedia(assemblyFailures: Array(repeating: killed, count: 5)),
      tries: RunTries(firstPause: .milliseconds(10)))
    let job = try await farm.submit()
    let status = try await end(of: job, on: farm, by: farm.register())
    #expect(status.failure?.code == "media-process-killed")
  }
}
