import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Files under a media root that change while a job that uses them is rendered.
@Suite(.mayBlock) struct ChangedSourceTests {
  /// Submits a job with a clip under a media root, runs `event` on the clip after planning, and returns the job's end.
  private func end(after event: (URL) throws -> Void) async throws -> JobStatus {
    let folder = try TemporaryDirectory()
    let clip = URL(filePath: folder.path("a.mp4"))
    let bytes = Data("a clip".utf8)
    try bytes.write(to: clip)
    let farm = try await TestFarm(mediaRoots: [folder.path])
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project,
      assets: [
        "a.mp4": AssetReference(
          digest: Digest.of(bytes), byteCount: Int64(bytes.count), path: clip.path)
      ])
    let response = try await farm.post("/jobs", submission)
    try #require(response.status == .created)
    let job: JobStatus = try await response.wire()
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    // Mixing reads the clip too, so the change has to wait for the mix.
    try await eventually("the sound is mixed") {
      ((try? FileManager.default.subpathsOfDirectory(atPath: farm.directory.path)) ?? [])
        .contains { $0.hasSuffix("/mix") }
    }
    try event(clip)
    #expect(try await farm.deliver(first).status == .ok)
    return try await farm.finish(job, by: worker)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose source changes fails and names the source`() async throws {
    let status = try await end { try Data("b clip".utf8).write(to: $0) }
    #expect(status.failure?.code == "asset-changed")
    #expect(status.failure?.message.contains("a.mp4") == true)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose source is missing at the end fails and names the source`() async throws {
    let status = try await end { try FileManager.default.removeItem(at: $0) }
    #expect(status.failure?.code == "missing-asset")
    #expect(status.failure?.message.contains("a.mp4") == true)
  }

  @Test(.timeLimit(.minutes(15)))
  func `rewriting a source with the same bytes does not fail its job`() async throws {
    let status = try await end { try Data("a clip".utf8).write(to: $0) }
    #expect(status.state == .completed)
  }
}
