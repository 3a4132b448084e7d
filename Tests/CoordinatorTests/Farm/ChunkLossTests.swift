import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf_coordinator

/// Chunks that are bad, that no job needs, or that cannot be stored.
@Suite(.mayBlock) struct ChunkLossTests {
  /// Renders and delivers segments until all of the `wanted` ones are completed.
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

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a chunk that cannot be appended counts against its worker and is rendered by another`(
    security: FarmSecurity
  )
    async throws
  {
    let farm = try await TestFarm(
      media: FakeMedia(badChunk: Data("<1>".utf8)), security: security)
    let job = try await farm.submit()
    let (first, second) = (try await farm.register(), try await farm.register(name: "other"))
    let segments: [SegmentStatus] = try await farm.segments(of: job)
    try await deliver(untilCompleted: Array(segments.indices), of: job, to: farm, by: first)
    let again = try await farm.lease(second)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [1, 0])
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a chunk that corrupts the file is rendered by another worker, and the file starts over`(
    security: FarmSecurity
  )
    async throws
  {
    let media = FakeMedia(badChunk: Data("<1>".utf8), code: "unwritable-chunk")
    let farm = try await TestFarm(media: media, security: security)
    let job = try await farm.submit()
    let (first, second) = (try await farm.register(), try await farm.register(name: "other"))
    let count = try await farm.segments(of: job).count
    try await deliver(untilCompleted: Array(0..<count), of: job, to: farm, by: first)
    let again = try await farm.lease(second)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    let expected = (0..<count).map { "<\($0)>" }.joined()
    #expect(String(decoding: output, as: UTF8.self) == expected)
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [1, 0])
  }

  @Test(.timeLimit(.minutes(15)))
  func `a chunk that is missing when it is to be appended is rendered again`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let count = try await farm.segments(of: job).count
    var leases: [Int: Lease] = [:]
    while leases[0] == nil {
      let lease = try await farm.lease(worker)
      leases[lease.segment] = lease
    }
    let first = try #require(leases[0])
    for lease in leases.values where lease.segment != 0 {
      #expect(try await farm.deliver(lease).status == .ok)
    }
    try await deliver(untilCompleted: Array(1..<count), of: job, to: farm, by: worker)
    let chunk = Digest.of(Data("<1>".utf8))
    let file = try #require(
      try files(in: "chunks", of: farm.directory).first { $0.hasSuffix("\(chunk)") })
    try FileManager.default.removeItem(atPath: farm.directory.path("data/chunks/\(file)"))
    #expect(try await farm.deliver(first).status == .ok)
    let again = try await farm.lease(worker)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(String(decoding: output, as: UTF8.self) == (0..<count).map { "<\($0)>" }.joined())
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `an assembly that crashes once is restarted with the same chunks`(security: FarmSecurity)
    async throws
  {
    let media = FakeMedia(
      badChunk: Data("<1>".utf8), times: 1, code: .mediaProcessDied)
    let farm = try await TestFarm(media: media, security: security)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let count = try await farm.segments(of: job).count
    try await deliver(untilCompleted: Array(0..<count), of: job, to: farm, by: worker)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    let expected = (0..<count).map { "<\($0)>" }.joined()
    #expect(String(decoding: output, as: UTF8.self) == expected)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a chunk that crashes the assembly twice counts against its worker`(security: FarmSecurity)
    async throws
  {
    let media = FakeMedia(
      badChunk: Data("<1>".utf8), times: 2, code: .mediaProcessDied)
    let farm = try await TestFarm(media: media, security: security)
    let job = try await farm.submit()
    let (first, second) = (try await farm.register(), try await farm.register(name: "other"))
    let segments = try await farm.segments(of: job)
    try await deliver(untilCompleted: Array(segments.indices), of: job, to: farm, by: first)
    let again = try await farm.lease(second)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a job fails and names the workers if three workers' chunks cannot be appended`(
    security: FarmSecurity
  )
    async throws
  {
    let farm = try await TestFarm(
      media: FakeMedia(badChunk: Data("<0>".utf8), times: 3), security: security)
    let job = try await farm.submit()
    _ = try await farm.segments(of: job)
    for name in ["ann", "bob", "cy"] {
      let worker = try await farm.register(name: name)
      var lease: Lease
      repeat {
        lease = try await farm.lease(worker)
        #expect(try await farm.deliver(lease).status == .ok)
      } while lease.segment != 0
      // The chunk must have been tried before the next worker asks for a lease.
      if name != "cy" { try await farm.pending(0, of: job) }
    }
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == "bad-chunk")
    #expect(failure.message.contains("ann, bob, cy: the chunk is damaged"))
  }

  @Test(arguments: FarmSecurity.allCases)
  func `chunks that no job needs are removed at startup`(security: FarmSecurity) async throws {
    let directory = try TemporaryDirectory()
    let stray = Digest.of(Data("stray".utf8))
    let folder = directory.path("data/chunks/\(stray.description.prefix(2))")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("stray".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(stray)"))
    _ = try await TestFarm(in: directory, security: security)
    #expect(try files(in: "chunks", of: directory) == [])
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a chunk that cannot be stored leaves no file behind`(security: FarmSecurity) async throws {
    let farm = try await TestFarm(security: security)
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    // A file is in the place of the chunk's folder.
    let folder = Digest.of(TestFarm.chunk(of: lease)).description.prefix(2)
    try Data().write(to: URL(fileURLWithPath: farm.directory.path("data/chunks/\(folder)")))
    #expect(try await farm.deliver(lease).status == .internalServerError)
    #expect(try files(in: "uploads", of: farm.directory) == [])
  }
}

extension TestFarm {
  /// Waits until a segment is pending again.
  fileprivate func pending(_ segment: Int, of job: JobStatus) async throws {
    try await eventually("segment \(segment) is pending again") {
      try await segments(of: job)[segment].state
    } satisfies: {
      $0 == .pending
    }
  }
}
