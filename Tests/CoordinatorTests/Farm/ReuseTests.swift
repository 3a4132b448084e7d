import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing
import sheaf_coordinator

/// Segments reuse the chunks of earlier jobs if the content keys are equal.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ReuseTests {
  /// The project with its second clip cut shorter: the first clip and the dissolve are as before.
  private static let edited = """
    {"version": 1, "sequence": [
      {"clip": "a.mp4", "out": 6}, {"transition": "dissolve", "duration": 1},
      {"clip": "a.mp4", "in": 4, "out": "17/2"}]}
    """

  /// The numbers of the project's segments. In the edited project, segment 7 is shorter and segment 8 is missing.
  private static let all = Array(0..<9)

  private func submit(_ farm: TestFarm, _ project: String = TestFarm.project) async throws
    -> JobStatus
  {
    try await farm.submit(project: project, rerenders: false)
  }

  /// Renders and delivers pending segments until a job ends.
  ///
  /// - Returns: the job's last status, and the numbers of the rendered segments in order.
  private func render(_ job: JobStatus, on farm: TestFarm, by worker: String) async throws
    -> (status: JobStatus, rendered: [Int])
  {
    var rendered: [Int] = []
    let status = try await eventually("the job ends") {
      let status: JobStatus = try await farm.get("/jobs/\(job.id)")
      if !status.state.isFinal, status.segments.pending > 0 {
        let lease = try await farm.lease(worker)
        rendered.append(lease.segment)
        #expect(try await farm.deliver(lease).status == .ok)
      }
      return status
    } satisfies: {
      $0.state.isFinal
    }
    return (status, rendered.sorted())
  }

  /// A farm that has rendered the project, and the job.
  private func seasoned(
    media: FakeMedia = FakeMedia(), in directory: TemporaryDirectory? = nil,
    ledger: Coordinator.LedgerLocation = .inMemory,
    storage: StorageSettings = StorageSettings(), security: FarmSecurity = .open
  ) async throws -> (TestFarm, JobStatus) {
    let farm = try await TestFarm(
      media: media, in: directory, ledger: ledger, storage: storage, security: security)
    let (job, rendered) = try await render(submit(farm), on: farm, by: farm.register())
    #expect(job.state == .completed)
    #expect(rendered == Self.all)
    return (farm, job)
  }

  private func chunkFiles(_ farm: TestFarm) throws -> [String] {
    let folder = farm.directory.path("data/chunks")
    return try FileManager.default.subpathsOfDirectory(atPath: folder)
      .map { "\(folder)/\($0)" }.filter { Digest(hex: URL(filePath: $0).lastPathComponent) != nil }
  }

  @Test func `a job that is submitted again needs no worker and has the same file`() async throws {
    let (farm, first) = try await seasoned()
    let second = try await farm.end(of: submit(farm))
    #expect(second.state == .completed)
    #expect(second.output?.sha256 == first.output?.sha256)
    #expect(second.segmentsReused == 9)
    #expect(first.segmentsReused == nil)
    #expect(try await farm.metric("sheaf_chunks_reused_total") == 9)
  }

  @Test func `an edited job renders only the segments that changed`() async throws {
    let (farm, _) = try await seasoned()
    let (job, rendered) = try await render(
      submit(farm, Self.edited), on: farm, by: farm.register())
    #expect(job.state == .completed)
    #expect(rendered == [7])
    #expect(job.segmentsReused == 7)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments.map(\.attempts) == [0, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test func `a job that is submitted to be rendered again reuses no chunks`() async throws {
    let (farm, first) = try await seasoned()
    let (job, rendered) = try await render(farm.submit(), on: farm, by: farm.register())
    #expect(rendered == Self.all)
    #expect(job.output?.sha256 == first.output?.sha256)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `chunks are kept across a restart`(
    security: FarmSecurity
  ) async throws {
    let (before, _) = try await seasoned(ledger: .onDisk, security: security)
    await before.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.directory.path("data"), toPath: directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    #expect(try await farm.end(of: submit(farm)).segmentsReused == 9)
    await farm.coordinator.stop()
  }

  @Test func `a kept chunk that is damaged or missing is rendered again`() async throws {
    let (farm, first) = try await seasoned()
    let files = try chunkFiles(farm)
    #expect(files.count == 9)
    try Data("<9>".utf8).write(to: URL(filePath: files[0]))
    try FileManager.default.removeItem(atPath: files[1])
    let (job, rendered) = try await render(submit(farm), on: farm, by: farm.register())
    #expect(rendered.count == 2)
    #expect(job.output?.sha256 == first.output?.sha256)
  }

  @Test func `chunks from other libraries are not mixed with a worker's chunks`() async throws {
    let (farm, _) = try await seasoned()
    let workers: [WorkerStatus] = try await farm.get("/workers")
    for worker in workers { _ = try await farm.send(.post, "/workers/\(worker.id)/drain") }
    let other = try await farm.register(fingerprint: "x265")
    let (job, rendered) = try await render(submit(farm, Self.edited), on: farm, by: other)
    #expect(job.state == .completed)
    #expect(rendered == Array(0..<8))
    // If nothing is left to render, the libraries of workers do not matter.
    #expect(try await farm.end(of: submit(farm)).segmentsReused == 9)
  }

  @Test func `chunks are not reused if no worker could render the rest`() async throws {
    let (farm, first) = try await seasoned()
    let workers: [WorkerStatus] = try await farm.get("/workers")
    for worker in workers { _ = try await farm.send(.post, "/workers/\(worker.id)/drain") }
    try FileManager.default.removeItem(atPath: chunkFiles(farm)[0])
    let other = try await farm.register(fingerprint: "x265")
    let (job, rendered) = try await render(submit(farm), on: farm, by: other)
    #expect(rendered == Self.all)
    #expect(job.output?.sha256 == first.output?.sha256)
  }

  @Test func `a job whose reused chunks are removed meanwhile is rendered by other workers`()
    async throws
  {
    let (farm, first) = try await seasoned()
    let workers: [WorkerStatus] = try await farm.get("/workers")
    for worker in workers { _ = try await farm.send(.post, "/workers/\(worker.id)/drain") }
    let other = try await farm.register(fingerprint: "x265")
    let chunk = try chunkFiles(farm)[0]
    // The first turn comes after all chunks were found, and before the job takes them over.
    farm.turns.set { try? FileManager.default.removeItem(atPath: chunk) }
    let (job, rendered) = try await render(submit(farm), on: farm, by: other)
    #expect(rendered == Self.all)
    #expect(job.segmentsReused == nil)
    #expect(job.output?.sha256 == first.output?.sha256)
    #expect(try await farm.metric("sheaf_chunks_reused_total") == 0)
  }

  @Test func `a chunk that could not be appended is not reused`() async throws {
    let farm = try await TestFarm(media: FakeMedia(badChunk: Data("<1>".utf8)))
    let job = try await submit(farm)
    let worker = try await farm.register()
    var leases: [Lease] = []
    for _ in Self.all { leases.append(try await farm.lease(worker)) }
    for lease in leases { #expect(try await farm.deliver(lease).status == .ok) }
    try await eventually("the bad chunk is refused") {
      try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.pending > 0
    }
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    let (second, rendered) = try await render(submit(farm), on: farm, by: worker)
    #expect(second.state == .completed)
    #expect(rendered == [1])
  }

  @Test func `a different chunk with the same content key is counted`() async throws {
    let (farm, _) = try await seasoned()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let bytes = Data("other bytes".utf8)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    let answer = try await farm.send(
      .put, "/leases/\(lease.token)/chunk", headers: Headers(try manifest.headers()), body: bytes)
    #expect(answer.status == .ok)
    #expect(try await farm.metric("sheaf_chunks_differing_total") == 1)
  }

  @Test func `kept chunks are removed after a while, or if there are too many`() async throws {
    let (farm, _) = try await seasoned()
    let day = 86_400.0
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 6 * day))
    #expect(try chunkFiles(farm).count == 9)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 8 * day))
    #expect(try chunkFiles(farm).isEmpty)
    let (job, rendered) = try await render(submit(farm), on: farm, by: farm.register())
    #expect(job.segmentsReused == nil)
    #expect(rendered == Self.all)

    var few = StorageSettings()
    few.chunkBytes = 6
    let (small, _) = try await seasoned(storage: few)
    try await small.coordinator.tidy(at: Date(timeIntervalSinceNow: 0.1 * day))
    #expect(try chunkFiles(small).count == 2)
  }

  @Test func `a coordinator that keeps no chunks removes them with their job`() async throws {
    var none = StorageSettings()
    none.chunkBytes = 0
    let (farm, _) = try await seasoned(storage: none)
    #expect(try chunkFiles(farm).isEmpty)
    let rendered = try await render(submit(farm), on: farm, by: farm.register()).rendered
    #expect(rendered == Self.all)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `kept chunks make room for new work`() async throws {
    let disk = try SmallDisk(mebibytes: 32)
    defer { withExtendedLifetime(disk) {} }
    var settings = StorageSettings()
    settings.reserve = 8 << 20
    let (farm, _) = try await seasoned(
      in: disk.directory, ledger: .onDisk, storage: settings)
    for file in try chunkFiles(farm) { try Data(count: 256 << 10).write(to: URL(filePath: file)) }
    try disk.fill(butFor: (8 << 20) - (300 << 10))
    let ready = await farm.coordinator.router.respond(to: try Request(.get, "/readyz"))
    #expect(ready.status == .ok)
    #expect(try (1..<9).contains(chunkFiles(farm).count))
    disk.free()
    let (job, rendered) = try await render(submit(farm), on: farm, by: farm.register())
    #expect(job.state == .completed)
    #expect(rendered.count == 9 - (job.segmentsReused ?? 0))
    await farm.coordinator.stop()
  }
}
