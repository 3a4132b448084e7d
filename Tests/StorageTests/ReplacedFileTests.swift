import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Files that were replaced by a folder or by a link to itself. They count as missing, unlike files that the system
/// cannot open for a while.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ReplacedFileTests {
  /// The kinds of object that replace a file.
  enum Replacement: CaseIterable, Sendable { case folder, linkToItself }

  private static let bytes = Data("a clip".utf8)
  private static let digest = Digest.of(bytes)
  private static let route = "/assets/\(digest)"
  private static let report = FailureReport(
    code: .damagedAsset, message: "a.mp4: other bytes", isPermanent: false)

  private func replace(_ path: String, by replacement: Replacement) throws {
    try FileManager.default.removeItem(atPath: path)
    switch replacement {
    case .folder:
      try FileManager.default.createDirectory(
        atPath: "\(path)/inside", withIntermediateDirectories: true)
    case .linkToItself:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    }
  }

  @Test(arguments: Replacement.allCases)
  func `a replaced stored asset counts as missing, and an upload repairs it`(
    replacement: Replacement
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    try replace(farm.directory.stored(Self.digest, in: "assets"), by: replacement)
    #expect(
      try await farm.post("/leases/\(lease.token)/failure", Self.report).status == .noContent)
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == "missing-asset")
    #expect(failure.message.hasPrefix("a.mp4: the coordinator's copy is missing: "))
    #expect(try await farm.send(.head, Self.route).status == .notFound)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.get, Self.route).content() == Self.bytes)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.lease(worker).job == job.id)
  }

  @Test(arguments: Replacement.allCases)
  func `a replaced file under a media root fails its job, and a retry uses the restored one`(
    replacement: Replacement
  ) async throws {
    let media = try TemporaryDirectory()
    let lines = Mutex<[String]>([])
    let farm = try await TestFarm(
      mediaRoots: [media.path], log: Log(.normal) { line in lines.withLock { $0.append(line) } })
    let path = media.path("a.mp4")
    try Self.bytes.write(to: URL(filePath: path))
    let asset = AssetReference(
      digest: Self.digest, byteCount: Int64(Self.bytes.count), path: path)
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    ).wire()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    // Mixing needs the file too.
    try await eventually("the sound is mixed") {
      lines.withLock { $0.contains { $0.contains("sound mixed") } }
    }
    try replace(path, by: replacement)
    #expect(
      try await farm.post("/leases/\(lease.token)/failure", Self.report).status == .noContent)
    let failure = try #require(try await farm.end(of: job).failure)
    #expect(failure.code == "damaged-asset")
    #expect(
      failure.message
        == "a.mp4: the file is damaged (it is no longer under the media root): put the original "
        + "file back under the media root, and retry the job")
    try FileManager.default.removeItem(atPath: path)
    try Self.bytes.write(to: URL(filePath: path))
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await farm.lease(worker).job == job.id)
  }

  @Test(arguments: Replacement.allCases)
  func `a chunk that was replaced is rendered again`(replacement: Replacement) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let count = try await farm.segments(of: job).count
    // The first segment is held back, so that nothing is appended yet.
    var first: Lease?
    for _ in 0..<count {
      let lease = try await farm.lease(worker)
      if lease.segment == 0 {
        first = lease
      } else {
        #expect(try await farm.deliver(lease).status == .ok)
      }
    }
    let chunk = farm.directory.stored(Digest.of(Data("<1>".utf8)), in: "chunks")
    try replace(chunk, by: replacement)
    #expect(try await farm.deliver(#require(first)).status == .ok)
    let again = try await farm.lease(worker)
    #expect(again.segment == 1)
    #expect(try await farm.deliver(again).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(output == Data((0..<count).map { "<\($0)>" }.joined().utf8))
    #expect(try await farm.metric("sheaf_chunks_lost_total") == 1)
  }

  @Test(arguments: Replacement.allCases)
  func `block digests whose file was replaced are rebuilt`(
    replacement: Replacement
  ) async throws {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    try replace(farm.directory.stored(Self.digest, in: "blocks"), by: replacement)
    let expected = BlockDigests.of(Self.bytes)
    let content = try await farm.send(
      .get, "\(Self.route)/blocks", headers: ["Range": "bytes=0-\(expected.encoded.count - 1)"]
    ).content()
    #expect(content == Data(expected.encoded))
  }
}
