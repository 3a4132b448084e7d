import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Preparation
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Failure messages for submitters, about files on the farm's hosts.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FailureMessageTests {
  @Test func `a job's failure does not reveal where a file under a media root is`() async throws {
    let media = try TemporaryDirectory()
    let (folder, root) = (media.path("vault"), media.path("root"))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: root, withDestinationPath: folder)
    let bytes = Data("a clip".utf8)
    try bytes.write(to: URL(filePath: "\(folder)/a.mp4"))
    // A link replaces the file between the coordinator's last check and the opening of the file.
    let farm = try await TestFarm(
      media: FakeMedia(probing: { request in
        let path = request.path
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).old")
        try FileManager.default.createSymbolicLink(
          atPath: path, withDestinationPath: "\(path).old")
        do {
          _ = try FileByteSource(path: path, throughLinks: false)
        } catch let error as MediaError {
          throw JobError("unsupported-format", error.message)
        }
      }), mediaRoots: [root])
    let asset = AssetReference(
      digest: .of(bytes), byteCount: Int64(bytes.count), path: "\(root)/a.mp4")
    let response = try await farm.post(
      "/jobs",
      JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset]))
    #expect(response.status == .created)
    let end = try await farm.end(of: response.wire())
    let job: JobStatus = try await farm.get("/jobs/\(end.id)")
    let message = try #require(job.failure?.message)
    #expect(message.contains("the file was replaced by a symbolic link: …/a.mp4"), "\(message)")
    #expect(!message.contains("vault"), "\(message)")
  }

  @Test func `a worker's failure does not reveal where its files are`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let report = FailureReport(
      code: "broken", message: "cannot read input=/vault/a.mp4 or file:///vault/b.mp4",
      isPermanent: true)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    let message = try #require(try await farm.end(of: job).failure?.message)
    #expect(message.contains("input=…/a.mp4 or file:…/b.mp4"), "\(message)")
    #expect(!message.contains("vault"), "\(message)")
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    let failures = String(decoding: try FarmCoding.encode(segments), as: UTF8.self)
    #expect(!failures.contains("vault"), "\(failures)")
  }

  @Test func `a long coordinator log line is truncated and says so`() async throws {
    let lines = Mutex<[String]>([])
    let farm = try await TestFarm(log: Log(.normal) { line in lines.withLock { $0.append(line) } })
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let report = FailureReport(
      code: "broken", message: String(repeating: "é", count: 4000), isPermanent: true)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    #expect(try await farm.end(of: job).state == .failed)
    let logged = lines.withLock { $0 }
    let line = try #require(logged.first { $0.contains("msg=\"failed: broken: ééé") })
    #expect(line.utf8.count <= LogRecord.longest + 1)
    #expect(line.contains("é… (cut: 80"))
    #expect(line.hasSuffix(" bytes)\" job=\(job.id)\n"))
  }

  @Test func `the error for an unreadable submission does not reveal its path`() async throws {
    let directory = try TemporaryDirectory()
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, _ in
        throw JobError(
          "media-process-failed", "cannot read \(request.submission) or path=/vault/fonts")
      }), in: directory)
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: "{}", assets: [:]))
    #expect(response.status == .unprocessableContent)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains("cannot read the coordinator's data or path=…"), "\(text)")
    #expect(!text.contains(directory.path) && !text.contains("vault"), "\(text)")
  }
}
