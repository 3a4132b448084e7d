import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import Timeline
import sheaf_coordinator

/// A farm whose stored files are not in its data directory.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ProvidedObjectStorageTests {
  private static let day = 86_400.0

  private let storage: MemoryObjectStorage

  init() throws { storage = try MemoryObjectStorage() }

  /// Delivers a job's chunks until the job has ended.
  private func complete(_ job: JobStatus, on farm: TestFarm) async throws -> JobStatus {
    let status = try await farm.finish(job, by: farm.register())
    #expect(status.state == .completed)
    return status
  }

  @Test func `a farm completes a job and keeps none of its files in the data directory`()
    async throws
  {
    let farm = try await TestFarm(objects: .provided(storage))
    let job = try await complete(farm.submit(), on: farm)
    #expect(storage.objects(.chunk).count == job.segments.total)
    let counts: [(ObjectKind, Int)] = [
      (.asset, 1), (.blocks, 1), (.index, 1), (.mix, 3), (.output, 1), (.plan, 1), (.project, 1),
    ]
    for (kind, count) in counts { #expect(storage.objects(kind).count == count, "\(kind)") }
    for kind in ObjectKind.allCases {
      let folder = farm.directory.path("data/\(kind.rawValue)")
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
      #expect(names == [], "\(kind)")
    }

    let output = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(try await Digest.of(output.content()) == job.output?.sha256)
    let clip = Data("a clip".utf8)
    #expect(try await farm.send(.get, "/assets/\(Digest.of(clip))").content() == clip)
    let project = try await farm.send(.get, "/jobs/\(job.id)/project")
    #expect(try await project.content() == Data(TestFarm.project.utf8))
    await farm.coordinator.stop()
  }

  @Test func `a job reuses chunks and sound, and renders a damaged chunk again`() async throws {
    let farm = try await TestFarm(objects: .provided(storage))
    let job = try await complete(farm.submit(rerenders: false), on: farm)
    let again = try await farm.end(of: farm.submit(rerenders: false))
    #expect(again.state == .completed && again.segmentsReused == again.segments.total)
    #expect(again.output?.sha256 == job.output?.sha256)
    #expect(farm.media.mixCount == 1)

    let damaged = try #require(storage.objects(.chunk).first)
    storage.damage(damaged)
    let third = try await complete(farm.submit(rerenders: false), on: farm)
    #expect(third.segmentsReused == third.segments.total - 1)
    #expect(third.output?.sha256 == job.output?.sha256)
    #expect(storage.objects(.chunk).contains(damaged))

    for mix in storage.objects(.mix) { storage.damage(mix) }
    #expect(try await complete(farm.submit(), on: farm).output?.sha256 == job.output?.sha256)
    #expect(farm.media.mixCount == 2)
    await farm.coordinator.stop()
  }

  @Test func `a farm continues a job with the files that it finds after a restart`() async throws {
    let directory = try TemporaryDirectory()
    let ledger = MemoryLedger()
    let job: JobStatus
    let worker: String
    do {
      let farm = try await TestFarm(
        in: directory, ledger: .provided { ledger }, objects: .provided(storage))
      job = try await farm.submit()
      worker = try await farm.register()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      await farm.coordinator.stop()
    }
    #expect(storage.objects(.chunk).count == 1)
    // What no job needs is removed when the coordinator starts.
    let stray = directory.path("stray")
    try Data("stray".utf8).write(to: URL(filePath: stray))
    let strayChunk = StoredObject(.chunk, .of(Data("stray".utf8)))
    try storage.keep(fileAt: stray, as: strayChunk)
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(
      in: directory, ledger: .provided { ledger }, objects: .provided(storage))
    let running: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(running.segments.completed == 1)
    #expect(!storage.objects(.chunk).contains(strayChunk))
    #expect(try await farm.finish(job, by: worker).state == .completed)
    await farm.coordinator.stop()
  }

  @Test func `the search for damage finds damaged objects of every kind`() async throws {
    let farm = try await TestFarm(objects: .provided(storage))
    let job = try await complete(farm.submit(), on: farm)
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).damagedFiles == 0)
    // Block digests are computed again from a sound asset.
    storage.damage(try #require(storage.objects(.blocks).first))
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).damagedFiles == 1)
    #expect(storage.setAsideCount == 0)
    let kinds: [ObjectKind] = [.asset, .chunk, .output, .plan, .project]
    for kind in kinds { storage.damage(try #require(storage.objects(kind).first)) }
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).damagedFiles == 1 + kinds.count)
    #expect(storage.setAsideCount == kinds.count)
    let lost: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(lost.state == .failed)
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").problem() == .wrongState)
    await farm.coordinator.stop()
  }

  @Test(arguments: [ObjectKind.project, .plan, .asset, .index])
  func `an object that is used again while old ones are removed stays`(kind: ObjectKind)
    async throws
  {
    let farm = try await TestFarm(objects: .provided(storage))
    let job = try await complete(farm.submit(), on: farm)
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .noContent)
    storage.age(by: 100 * Self.day)
    let object = try #require(storage.objects(kind).first)
    storage.observeLists { [storage] listed in
      if listed == kind { _ = storage.touch(object) }
    }
    try await farm.coordinator.tidy()
    #expect(storage.objects(kind) == [object])
    await farm.coordinator.stop()
  }

  @Test func `objects that are no longer needed are removed`() async throws {
    let farm = try await TestFarm(objects: .provided(storage))
    let (first, second) = (
      try await complete(farm.submit(), on: farm), try await complete(farm.submit(), on: farm)
    )
    #expect(storage.objects(.output).count == 2)
    #expect(try await farm.send(.delete, "/jobs/\(first.id)").status == .noContent)
    #expect(storage.objects(.output) == [.output(of: second.id, .mp4)])
    #expect(try await farm.send(.delete, "/jobs/\(second.id)").status == .noContent)
    storage.age(by: 100 * Self.day)
    try await farm.coordinator.tidy(at: Date() + 100 * Self.day)
    for kind in ObjectKind.allCases { #expect(storage.objects(kind) == [], "\(kind)") }
    await farm.coordinator.stop()
  }
}
