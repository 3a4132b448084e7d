import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing
import sheaf_coordinator

/// Chunks that a worker leaves in the coordinator's folder instead of sending them.
@Suite(.mayBlock) struct ChunkFileTests {
  private static let name = String(repeating: "0f", count: 16)

  /// Leaves a file in the folder for chunks.
  private func leave(_ bytes: Data, in farm: TestFarm, as name: String = Self.name) throws {
    let path = farm.directory.path("data/delivered/\(name)")
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// Delivers the fake chunk of a lease in a file.
  private func deliver(
    _ lease: Lease, to farm: TestFarm, named name: String = Self.name, body: Data = Data()
  ) async throws -> Response {
    let bytes = TestFarm.chunk(of: lease)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    var headers = Headers(try manifest.headers())
    headers[ChunkFolder.fileHeaderName] = name
    return try await farm.send(
      .put, "/leases/\(lease.token)/chunk", headers: headers, body: body)
  }

  /// The path of a lease's chunk in the store.
  private func stored(_ lease: Lease, in farm: TestFarm) -> String {
    farm.directory.stored(Digest.of(TestFarm.chunk(of: lease)), in: "chunks")
  }

  /// Delivers the chunks of a job's segments: that of segment 1 in a file, and those of the others over the connection,
  /// except that of segment 0, so that nothing is appended yet.
  ///
  /// - Returns: the lease of segment 0.
  private func deliverAllButFirst(
    of job: JobStatus, to farm: TestFarm, by worker: String, file: Data
  ) async throws -> Lease {
    var first: Lease?
    for _ in try await farm.segments(of: job) {
      let lease = try await farm.lease(worker)
      switch lease.segment {
      case 0: first = lease
      case 1:
        try leave(file, in: farm)
        #expect(try await deliver(lease, to: farm).status == .ok)
      default: #expect(try await farm.deliver(lease).status == .ok)
      }
    }
    return try #require(first)
  }

  /// The file that a farm makes of the fake chunks of a job.
  private func expectOutput(of job: JobStatus, from farm: TestFarm) async throws {
    let count = try await farm.segments(of: job).count
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(output == Data((0..<count).map { "<\($0)>" }.joined().utf8))
  }

  /// The numbers of failed segments of all workers.
  private func failures(on farm: TestFarm) async throws -> [Int] {
    try await farm.get("/workers", as: [WorkerStatus].self).map(\.segmentsFailed)
  }

  @Test func `a file that does not match its digest counts against its worker, once it is read`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let (worker, other) = (try await farm.register(), try await farm.register(name: "other"))
    let first = try await deliverAllButFirst(
      of: job, to: farm, by: worker, file: Data("<x>".utf8))
    #expect(try await farm.deliver(first).status == .ok)
    let again = try await farm.lease(other)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    try await expectOutput(of: job, from: farm)
    #expect(try await failures(on: farm) == [1, 0])
  }

  @Test func `a chunk from a file that disappears before it is read blames no worker`() async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let first = try await deliverAllButFirst(
      of: job, to: farm, by: worker, file: Data("<1>".utf8))
    try FileManager.default.removeItem(
      atPath: farm.directory.stored(.of(Data("<1>".utf8)), in: "chunks"))
    #expect(try await farm.deliver(first).status == .ok)
    let again = try await farm.lease(worker)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    try await expectOutput(of: job, from: farm)
    #expect(try await failures(on: farm) == [0])
  }

  @Test(arguments: [true, false])
  func `a chunk from a file blames no worker once its bytes have been compared`(
    isSent: Bool
  ) async throws {
    let farm = try await TestFarm()
    let jobs = [try await farm.submit(name: "one"), try await farm.submit(name: "two")]
    let worker = try await farm.register()
    var (held, delivered): ([Lease], [Lease]) = ([], [])
    // Nothing is appended while the first segments are held back.
    while delivered.count < jobs.count {
      let lease = try await farm.lease(worker)
      switch lease.segment {
      case 0: held.append(lease)
      case 1 where delivered.isEmpty || !isSent:
        try leave(TestFarm.chunk(of: lease), in: farm)
        #expect(try await deliver(lease, to: farm).status == .ok)
        delivered.append(lease)
      case 1:
        #expect(try await farm.deliver(lease).status == .ok)
        delivered.append(lease)
      default: #expect(try await farm.deliver(lease).status == .ok)
      }
    }
    try FileDamage.flipBit(of: stored(delivered[0], in: farm), at: 1)
    for lease in held { #expect(try await farm.deliver(lease).status == .ok) }
    for job in jobs {
      #expect(try await farm.finish(job, by: worker).state == .completed)
      try await expectOutput(of: job, from: farm)
    }
    #expect(try await failures(on: farm) == [0])
  }

  @Test func `a chunk in a file is moved into the store`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let bytes = TestFarm.chunk(of: lease)
    try leave(bytes, in: farm)
    #expect(try await deliver(lease, to: farm).status == .ok)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 1)
    let digest = "\(Digest.of(bytes))"
    let stored = farm.directory.path("data/chunks/\(digest.prefix(2))/\(digest)")
    #expect(FileManager.default.contents(atPath: stored) == bytes)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: farm.directory.path("data/delivered"))
    #expect(left.count { !$0.hasPrefix("mark-") } == 0)
  }

  @Test(arguments: ["00000000000000000000000000000000", "../chunks", "0f"])
  func `if the file is not there, the lease stays in force`(name: String) async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(
      try await deliver(lease, to: farm, named: name).problem() == .missingChunkFile)
    #expect(try await farm.deliver(lease).status == .ok)
  }

  @Test func `a link in the folder is not followed`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let target = farm.directory.path("target")
    try TestFarm.chunk(of: lease).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(
      atPath: farm.directory.path("data/delivered/\(Self.name)"), withDestinationPath: target)
    #expect(try await deliver(lease, to: farm).problem() == .missingChunkFile)
  }

  @Test func `a file with another length fails the attempt`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    try leave(Data("longer than the chunk".utf8), in: farm)
    #expect(try await deliver(lease, to: farm).problem() == .invalidChunk)
  }

  @Test func `a chunk in a file must have no body`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let bytes = TestFarm.chunk(of: lease)
    try leave(bytes, in: farm)
    #expect(try await deliver(lease, to: farm, body: bytes).problem() == .invalidChunk)
  }

  @Test func `a file with other bytes does not replace a chunk`() async throws {
    let farm = try await TestFarm()
    let jobs = [try await farm.submit(name: "one"), try await farm.submit(name: "two")]
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    let bytes = TestFarm.chunk(of: first)
    #expect(try await farm.deliver(first).status == .ok)
    let second = try await farm.leaseOf(first.segment, of: jobs, besides: first, worker)
    try leave(Data(bytes.reversed()), in: farm)
    #expect(try await deliver(second, to: farm).problem() == .invalidChunk)
    let digest = "\(Digest.of(bytes))"
    let stored = farm.directory.path("data/chunks/\(digest.prefix(2))/\(digest)")
    #expect(FileManager.default.contents(atPath: stored) == bytes)
  }

  @Test func `a file that is never delivered is removed by a cleanup or at the next start`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let folder = directory.path("data/delivered")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder)
    }
    do {
      let farm = try await TestFarm(in: directory)
      try leave(Data("<0>".utf8), in: farm)
      try await farm.coordinator.tidy()
      #expect(try names().contains(Self.name))
      try await farm.coordinator.tidy(at: Date() + 3601)
      #expect(try names().count == 1 && !names().contains(Self.name))
      try leave(Data("<0>".utf8), in: farm)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory)
    #expect(try names().count == 1 && !names().contains(Self.name))
    await farm.coordinator.stop()
  }

  @Test func `a worker on the coordinator's host receives the folder's path`() async throws {
    let directory = try TemporaryDirectory()
    let coordinator = try RunningCoordinator(data: directory.path("data"))
    defer { coordinator.kill() }
    let registration = try FarmCoding.encode(
      WorkerRegistration(name: "near", slots: 1, fingerprint: "f"))
    let response = try await Client().send(
      ClientRequest(
        .post, "\(coordinator.url)/workers", headers: ["Content-Type": "application/json"],
        body: registration))
    let folder = try #require(
      try FarmCoding.decode(WorkerWelcome.self, from: response.body).chunkFolder)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(folder.mark)"))
  }
}

extension TestFarm {
  /// Leases segments until one with the given index belongs to another lease's job's sibling.
  fileprivate func leaseOf(
    _ segment: Int, of jobs: [JobStatus], besides first: Lease, _ worker: String
  ) async throws -> Lease {
    while true {
      let lease = try await lease(worker)
      if lease.segment == segment, lease.job != first.job { return lease }
      _ = try await deliver(lease)
    }
  }
}
