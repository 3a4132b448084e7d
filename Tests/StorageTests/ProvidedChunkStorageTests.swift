import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A farm whose chunks are not in files.
@Suite(.mayBlock, .timeLimit(.minutes(2))) struct ProvidedChunkStorageTests {
  @Test func `a farm completes a job, reuses its chunks, and renders a damaged one again`()
    async throws
  {
    let storage = MemoryChunkStorage()
    let farm = try await TestFarm(chunks: storage)
    let worker = try await farm.register()
    let job = try await farm.finish(farm.submit(rerenders: false), by: worker)
    #expect(job.state == .completed)
    #expect(storage.digests.count == job.segments.total)
    let folder = farm.directory.path("data/chunks")
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    #expect(files.filter { Digest(hex: URL(filePath: $0).lastPathComponent) != nil } == [])

    let again = try await farm.end(of: farm.submit(rerenders: false))
    #expect(again.state == .completed && again.segmentsReused == again.segments.total)
    #expect(again.output?.sha256 == job.output?.sha256)

    let damaged = try #require(storage.digests.first)
    storage.damage(damaged)
    let third = try await farm.finish(farm.submit(rerenders: false), by: worker)
    #expect(third.state == .completed)
    #expect(third.segmentsReused == third.segments.total - 1)
    #expect(third.output?.sha256 == job.output?.sha256)
    #expect(storage.contains(damaged))
    #expect(try storage.inspect(damaged, fromDisk: true) { _ in } == .sound)
    await farm.coordinator.stop()
  }

  @Test func `a farm continues a job with the chunks that it finds after a restart`() async throws {
    let directory = try TemporaryDirectory()
    let (storage, ledger) = (MemoryChunkStorage(), MemoryLedger())
    let job: JobStatus
    let worker: String
    do {
      let farm = try await TestFarm(in: directory, ledger: .provided { ledger }, chunks: storage)
      job = try await farm.submit()
      worker = try await farm.register()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      await farm.coordinator.stop()
    }
    #expect(storage.digests.count == 1)
    // What no job needs is removed when the coordinator starts.
    let stray = directory.path("stray")
    try Data("stray".utf8).write(to: URL(filePath: stray))
    try storage.keep(fileAt: stray, as: .of(Data("stray".utf8)))
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .provided { ledger }, chunks: storage)
    let running: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(running.segments.completed == 1)
    #expect(!storage.contains(.of(Data("stray".utf8))))
    #expect(try await farm.finish(job, by: worker).state == .completed)
    await farm.coordinator.stop()
  }
}
