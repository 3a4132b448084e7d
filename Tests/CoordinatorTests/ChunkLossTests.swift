import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// What becomes of chunks that are no good, are gone, or were never accepted.
struct ChunkLossTests {
  /// Renders and delivers until the segments of those numbers are there.
  private func deliver(
    untilCompleted wanted: [Int], of job: JobStatus, to farm: TestFarm, by worker: String
  ) async throws {
    var completed: Set<Int> = []
    for segment in try await farm.get("/jobs/\(job.id)/segments", as: [SegmentStatus].self)
    where segment.state == .completed { completed.insert(segment.index) }
    while !completed.isSuperset(of: wanted) {
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease).status == .ok)
      completed.insert(lease.segment)
    }
  }

  /// The files under a folder of the data directory.
  private func files(in folder: String, of directory: TemporaryDirectory) throws -> [String] {
    let root = directory.path("data/\(folder)")
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a chunk that cannot be appended fails the job, and a retry renders its segment again`()
    async throws
  {
    let farm = try await TestFarm(media: FakeMedia(badChunk: Data("<1>".utf8)))
    let job = try await farm.submit()
    let worker = try await farm.register()
    try await deliver(untilCompleted: [0, 1], of: job, to: farm, by: worker)
    #expect(try await farm.end(of: job).failure?.code == "bad-chunk")

    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    let states = try await farm.get("/jobs/\(job.id)/segments", as: [SegmentStatus].self)
    #expect(states[1].state == .pending)
    try await deliver(untilCompleted: Array(states.indices), of: job, to: farm, by: worker)
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test func `chunks that no job needs are removed at the start`() async throws {
    let directory = try TemporaryDirectory()
    let stray = Digest.of(Data("stray".utf8))
    let folder = directory.path("data/chunks/\(stray.description.prefix(2))")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("stray".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(stray)"))
    _ = try await TestFarm(in: directory)
    #expect(try files(in: "chunks", of: directory) == [])
  }

  @Test func `a chunk that cannot be stored leaves no file behind`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    // A file where the chunk's folder should be.
    let folder = Digest.of(TestFarm.chunk(of: lease)).description.prefix(2)
    try Data().write(to: URL(fileURLWithPath: farm.directory.path("data/chunks/\(folder)")))
    #expect(try await farm.deliver(lease).status == .internalServerError)
    #expect(try files(in: "uploads", of: farm.directory) == [])
  }
}
