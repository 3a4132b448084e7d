import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A job uses the mix of an earlier job with the same sound.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct MixReuseTests {
  /// The project with another transition: other pictures, the same sound.
  private static let edited = TestFarm.project.replacingOccurrences(of: "dissolve", with: "push")
  private static let day = 86_400.0

  /// Submits a project, and delivers its chunks until the job has ended.
  @discardableResult
  private func render(
    _ project: String = TestFarm.project, rerenders: Bool = false, on farm: TestFarm
  ) async throws -> JobStatus {
    let job = try await farm.submit(project: project, rerenders: rerenders)
    let worker = try await farm.register()
    let status = try await eventually("the job ends") {
      let status: JobStatus = try await farm.get("/jobs/\(job.id)")
      let lease = try await farm.send(.post, "/workers/\(worker)/leases?wait=0")
      if lease.status == .ok { #expect(try await farm.deliver(lease.wire()).status == .ok) }
      return status
    } satisfies: {
      $0.state.isFinal
    }
    #expect(status.state == .completed)
    return status
  }

  /// The paths of the kept files with a name.
  private func kept(_ name: String, by farm: TestFarm) throws -> [String] {
    let folder = farm.directory.path("data/mixes")
    return try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix("/\(name)") }.map { "\(folder)/\($0)" }
  }

  @Test func `a job with other pictures and the same sound reuses the mix`() async throws {
    let farm = try await TestFarm()
    try await render(on: farm)
    let second = try await render(Self.edited, on: farm)
    #expect(farm.media.mixCount == 1)
    #expect(try await farm.metric("sheaf_mixes_reused_total") == 1)
    let waveform = try await farm.send(.get, "/jobs/\(second.id)/waveform")
    #expect(waveform.status == .ok)
  }

  @Test func `a job with other sound is mixed`() async throws {
    let farm = try await TestFarm()
    try await render(on: farm)
    try await render(
      TestFarm.project.replacingOccurrences(of: #""out": 6"#, with: #""out": 5"#), on: farm)
    #expect(farm.media.mixCount == 2)
    #expect(try kept("mix", by: farm).count == 2)
  }

  @Test func `a job that is submitted to be rendered again is also mixed again`() async throws {
    let farm = try await TestFarm()
    try await render(on: farm)
    try await render(rerenders: true, on: farm)
    #expect(farm.media.mixCount == 2)
    try await render(on: farm)
    #expect(farm.media.mixCount == 2)
    #expect(try kept("mix", by: farm).count == 1)
  }

  @Test(arguments: ["mix", "blocks", "record"], [true, false])
  func `a kept mix that is damaged or incomplete is mixed again`(
    file: String, isMissing: Bool
  ) async throws {
    let farm = try await TestFarm()
    let first = try await render(on: farm)
    let path = try #require(kept(file, by: farm).first)
    if isMissing {
      try FileManager.default.removeItem(atPath: path)
    } else {
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.startIndex] ^= 1
      try bytes.write(to: URL(filePath: path))
    }
    let second = try await render(on: farm)
    #expect(second.output?.sha256 == first.output?.sha256)
    #expect(farm.media.mixCount == 2)
    try await render(on: farm)
    #expect(farm.media.mixCount == 2, "the new mix is kept")
  }

  @Test(arguments: ["libraries", "newer libraries"])
  func `after a restart, a mix is reused if the libraries are the same`(
    libraries: String
  ) async throws {
    let before = try await TestFarm(ledger: .onDisk, security: .secured)
    try await render(on: before)
    await before.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.directory.path("data"), toPath: directory.path("data"))
    let farm = try await TestFarm(
      media: FakeMedia(fingerprint: libraries), in: directory, ledger: .onDisk, security: .secured)
    try await render(on: farm)
    #expect(farm.media.mixCount == (libraries == "libraries" ? 0 : 1))
    await farm.coordinator.stop()
  }

  @Test func `mixes are removed after a while, or if there are too many`() async throws {
    let farm = try await TestFarm()
    try await render(on: farm)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 6 * Self.day))
    #expect(try kept("mix", by: farm).count == 1)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 8 * Self.day))
    #expect(try kept("mix", by: farm).isEmpty)

    // Mixes may have a tenth of the bytes of chunks, and this one has three.
    var few = StorageSettings()
    few.chunkBytes = 20
    let small = try await TestFarm(storage: few)
    try await render(on: small)
    try await small.coordinator.tidy()
    #expect(try kept("mix", by: small).count == 1, "it is too young to be removed")
    try await small.coordinator.tidy(at: Date(timeIntervalSinceNow: 0.1 * Self.day))
    #expect(try kept("mix", by: small).isEmpty)
  }

  @Test func `a coordinator that keeps no chunks keeps no mixes`() async throws {
    var none = StorageSettings()
    none.chunkBytes = 0
    let farm = try await TestFarm(storage: none)
    try await render(on: farm)
    #expect(try kept("mix", by: farm).isEmpty)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"))
  func `mixes make room for new work`() async throws {
    let disk = try SmallDisk(mebibytes: 32)
    defer { withExtendedLifetime(disk) {} }
    var settings = StorageSettings()
    settings.reserve = 8 << 20
    let farm = try await TestFarm(in: disk.directory, ledger: .onDisk, storage: settings)
    try await render(on: farm)
    let path = try #require(kept("mix", by: farm).first)
    try Data(count: 1 << 20).write(to: URL(filePath: path))
    try disk.fill(butFor: (8 << 20) - (300 << 10))
    let ready = await farm.coordinator.router.respond(to: try Request(.get, "/readyz"))
    #expect(ready.status == .ok)
    #expect(try kept("mix", by: farm).isEmpty)
    disk.free()
    await farm.coordinator.stop()
  }
}
