import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Files that the system cannot open for a while, for example because too many files are open.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct UnopenableFileTests {
  private static let bytes = Data("a clip".utf8)
  private static let digest = Digest.of(bytes)

  /// The lines of a log.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var log: Log { Log(.normal) { [self] line in lines.withLock { $0.append(line) } } }

    func contain(_ text: String) -> Bool {
      lines.withLock { lines in lines.contains { $0.contains(text) } }
    }
  }

  /// Makes opening a file fail from now on.
  private func block(_ path: String) { FileReads.refuse(under: path, with: EMFILE) }

  /// Makes opening the file succeed again.
  private func unblock(_ path: String) { FileReads.refuse(under: path, with: nil) }

  /// Submits a job whose asset is a file under a media root.
  private func submit(_ path: String, to farm: TestFarm) async throws -> JobStatus {
    try Self.bytes.write(to: URL(filePath: path))
    let asset = AssetReference(
      digest: Self.digest, byteCount: Int64(Self.bytes.count), path: path)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    return try await farm.post("/jobs", submission).wire()
  }

  @Test(arguments: [false, true])
  func `a job whose asset cannot be opened does not fail, and continues when the file is back`(
    isUnderMediaRoot: Bool
  ) async throws {
    let (media, lines) = (try TemporaryDirectory(), Lines())
    let farm = try await TestFarm(mediaRoots: [media.path], log: lines.log)
    let path =
      isUnderMediaRoot ? media.path("a.mp4") : farm.directory.stored(Self.digest, in: "assets")
    let job = try await isUnderMediaRoot ? submit(path, to: farm) : farm.submit()
    let lease = try await farm.lease(farm.register())
    // Mixing needs the asset too.
    try await eventually("the sound is mixed") { lines.contain("sound mixed") }
    block(path)
    let report = FailureReport(
      code: .damagedAsset, message: "a.mp4: other bytes", isPermanent: false)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    try await eventually("the log says that the asset cannot be checked") {
      let status: JobStatus = try await farm.get("/jobs/\(job.id)")
      try #require(status.state == .rendering)
      return lines.contain("cannot be checked now")
    }
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .rendering)
    #expect(try farm.directory.quarantined().isEmpty)
    unblock(path)
    let worker = try await farm.register(name: "other")
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test func `an upload of an asset that cannot be opened is refused until the file is back`()
    async throws
  {
    let farm = try await TestFarm()
    _ = try await farm.upload(Self.bytes)
    let path = farm.directory.stored(Self.digest, in: "assets")
    block(path)
    let response = try await farm.send(.put, "/assets/\(Self.digest)", body: Self.bytes)
    #expect(try await response.problem() == .unavailable)
    #expect(try farm.directory.quarantined().isEmpty)
    unblock(path)
    _ = try await farm.upload(Self.bytes)
    #expect(try await farm.send(.get, "/assets/\(Self.digest)").content() == Self.bytes)
    #expect(try farm.directory.quarantined().isEmpty)
  }

  @Test func `a chunk that cannot be opened is not rendered again, but used when it is back`()
    async throws
  {
    let lines = Lines()
    let farm = try await TestFarm(log: lines.log)
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
    // The assembly reads wrong bytes, and the coordinator cannot open the chunk to check whether it is damaged.
    let chunk = farm.directory.stored(Digest.of(Data("<1>".utf8)), in: "chunks")
    try FileManager.default.moveItem(atPath: chunk, toPath: "\(chunk).away")
    try Data("damage".utf8).write(to: URL(filePath: chunk))
    block(chunk)
    #expect(try await farm.deliver(#require(first)).status == .ok)
    try await eventually("the log says that the job waits") {
      try #require(try await farm.metric("sheaf_chunks_lost_total") == 0)
      return lines.contain("retrying")
    }
    #expect(try await farm.segments(of: job)[1].state == .completed)
    #expect(rename("\(chunk).away", chunk) == 0)
    unblock(chunk)
    #expect(try await farm.end(of: job).state == .completed)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
    #expect(output == Data((0..<count).map { "<\($0)>" }.joined().utf8))
    #expect(try await farm.metric("sheaf_chunks_lost_total") == 0)
    #expect(try farm.directory.quarantined().isEmpty)
  }
}
