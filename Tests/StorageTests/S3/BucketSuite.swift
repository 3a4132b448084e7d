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

/// Tests of farms whose stored files are in a bucket of an S3 server that we did not write.
protocol BucketSuite {
  var server: S3Server { get }
  var directory: TemporaryDirectory { get }
  /// The prefix of the farm's objects in the bucket.
  var prefix: String { get }
}

extension BucketSuite {
  func client(
    _ endpoint: String? = nil, prefix: String? = nil
  ) throws -> ObjectClient {
    ObjectClient(
      try Bucket(
        "s3://\(S3Server.bucket)/\(prefix ?? self.prefix)", endpoint: endpoint ?? server.endpoint),
      keys: .fixed(AccessKey(id: S3Server.keyID, secret: S3Server.secret)), pause: { _ in })
  }

  func farm(
    _ client: ObjectClient? = nil, in directory: TemporaryDirectory? = nil,
    tries: RunTries = RunTries()
  ) async throws -> TestFarm {
    let directory = directory ?? self.directory
    if FileManager.default.fileExists(atPath: directory.path("data/lock")) {
      try await untilUnlocked(directory.path("data"))
    }
    return try await TestFarm(
      in: directory, ledger: .onDisk, objects: .inBucket(client ?? self.client()), tries: tries, )
  }

  func manifest(of lease: Lease, _ bytes: Data) -> ChunkManifest {
    ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
  }

  /// Leaves bytes in the bucket as a worker does, and delivers them as the chunk of a lease.
  func leave(
    _ bytes: Data, _ lease: Lease, on farm: TestFarm, as name: String
  ) async throws -> Response {
    let chunk = TestFarm.chunk(of: lease)
    let answer = try await farm.post(
      "/leases/\(lease.token)/link",
      StorageDelivery(name: name, byteCount: Int64(chunk.count), sha256: Digest.of(chunk)))
    let link: StorageLink = try await answer.wire()
    if bytes == chunk {
      let request = ClientRequest(.put, link.url, headers: Headers(link.headers), body: bytes)
      #expect(try await Client().send(request).status == .ok)
    } else {
      // rclone compares the bytes with the digest in the link, which not every store does.
      try client().put(bytes, as: "delivered/\(name)")
    }
    var headers = Headers(try manifest(of: lease, chunk).headers())
    headers[ChunkFolder.fileHeaderName] = name
    return try await farm.send(.put, "/leases/\(lease.token)/chunk", headers: headers)
  }

  /// The keys of the objects of a kind.
  func keys(_ kind: ObjectKind) throws -> [String] {
    var keys: [String] = []
    try client().forEach(beginningWith: "\(kind.rawValue)/") { object in
      keys.append(object.key)
      return true
    }
    return keys
  }

  /// The bytes of an object.
  func stored(_ key: String) throws -> Data {
    let path = directory.path("stored")
    try #require(try client().get(key, to: path), "there is no object \(key)")
    return try Data(contentsOf: URL(filePath: path))
  }

  /// Runs a farm until it has completed a job, and returns the job.
  func completedJob(
    in directory: TemporaryDirectory? = nil, objects: Coordinator.ObjectLocation? = nil
  ) async throws -> JobStatus {
    let directory = directory ?? self.directory
    let status: JobStatus
    do {
      let farm = try await TestFarm(
        in: directory, ledger: .onDisk, objects: objects ?? .inBucket(client()))
      status = try await complete(farm.submit(), on: farm)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    return status
  }

  func complete(_ job: JobStatus, on farm: TestFarm) async throws -> JobStatus {
    let status = try await farm.finish(job, by: farm.register())
    #expect(status.state == .completed)
    return status
  }
}

extension FileManager {
  func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
  }
}
