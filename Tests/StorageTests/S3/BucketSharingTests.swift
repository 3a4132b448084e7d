import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import S3
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Workers that use the bucket without the coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct BucketSharingTests: BucketSuite {
  let server: S3Server
  let directory: TemporaryDirectory
  let prefix = S3Server.newPrefix()

  init() throws {
    server = try S3Server.shared.get()
    directory = try TemporaryDirectory()
  }

  private static let day = 86_400.0

  @Test func `a worker reads assets and leaves chunks without the coordinator`() async throws {
    let farm = try await farm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    let asset = try #require(lease.assets.first?.digest)
    let link: StorageLink = try await farm.send(
      .get, "/assets/\(asset)/link", headers: [Lease.headerName: lease.token]
    ).wire()
    let bytes = try await Client().send(
      ClientRequest(.get, link.url, headers: Headers(link.headers)))
    #expect(Digest.of(bytes.body) == asset)

    let name = ChunkFolder.newFileName()
    #expect(try await leave(TestFarm.chunk(of: lease), lease, on: farm, as: name).status == .ok)
    #expect(try client().head("delivered/\(name)") == nil)
    #expect(try keys(.chunk) == [StoredObject(.chunk, .of(TestFarm.chunk(of: lease))).key])
    let status = try await complete(job, on: farm)
    #expect(status.output != nil)
    let response = try await farm.send(
      .get, "/assets/\(Digest.of([1]))/link", headers: [Lease.headerName: lease.token])
    #expect(response.status == .notFound)
    await farm.coordinator.stop()
  }

  @Test func `a chunk that is not what its worker states is never part of a file`() async throws {
    let farm = try await farm()
    let job = try await farm.submit()
    let (worker, other) = (try await farm.register(), try await farm.register(name: "other"))
    let lease = try await farm.lease(worker)
    let name = ChunkFolder.newFileName()
    // It is not there, it has another length, and other bytes of the same length.
    let chunk = TestFarm.chunk(of: lease)
    var headers = Headers(try manifest(of: lease, chunk).headers())
    headers[ChunkFolder.fileHeaderName] = name
    #expect(
      try await farm.send(.put, "/leases/\(lease.token)/chunk", headers: headers).problem()
        == .missingChunkFile)
    let changed = Data("<x>".utf8)
    #expect(try await leave(changed, lease, on: farm, as: name).status == .ok)
    let status = try await farm.finish(job, by: other)
    #expect(status.state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(!String(decoding: output, as: UTF8.self).contains("x"))
    let failures = try await farm.get("/workers", as: [WorkerStatus].self)
      .filter { $0.id == worker }.map(\.segmentsFailed)
    #expect(failures == [1])
    await farm.coordinator.stop()
  }

  @Test(.enabled(if: S3Server.datesUploads, "moto dates all uploads to 2010"))
  func `what nobody completed is removed after a day`() async throws {
    let farm = try await farm()
    let client = try client()
    try client.put(Data("left".utf8), as: "delivered/0123456789abcdef")
    let large = directory.path("large")
    try Data(count: 6 << 20).write(to: URL(filePath: large))
    _ = try MultipartUpload(
      of: large, as: "assets/aa/large", mark: "m", partSize: 5 << 20, to: self.client())
    try await farm.coordinator.tidy()
    #expect(try client.head("delivered/0123456789abcdef") != nil)
    #expect(try client.uploads().count == 1)
    try await farm.coordinator.tidy(at: Date() + 2 * Self.day)
    #expect(try client.head("delivered/0123456789abcdef") == nil)
    #expect(try client.uploads().isEmpty)
    await farm.coordinator.stop()
  }
}
