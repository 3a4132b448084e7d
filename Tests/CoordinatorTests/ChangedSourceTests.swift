import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A file under a media root that changes while a job is rendered of it.
struct ChangedSourceTests {
  /// Submits a job of a shared clip, lets something happen to the clip once all is planned, and returns the end.
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
    // What the sound is mixed of is looked at before.
    while !((try? FileManager.default.subpathsOfDirectory(atPath: farm.directory.path)) ?? [])
      .contains(where: { $0.hasSuffix("/mix") })
    { try await Task.sleep(for: .milliseconds(5)) }
    try event(clip)
    #expect(try await farm.deliver(first).status == .ok)
    while true {
      let status: JobStatus = try await farm.get("/jobs/\(job.id)")
      if status.state.isFinal { return status }
      if status.segments.pending > 0 {
        #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      } else {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a source that changes during a job fails it by name`() async throws {
    let status = try await end { try Data("b clip".utf8).write(to: $0) }
    #expect(status.failure?.code == "asset-changed")
    #expect(status.failure?.message.contains("a.mp4") == true)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a source that is gone at the end fails its job by name`() async throws {
    let status = try await end { try FileManager.default.removeItem(at: $0) }
    #expect(status.failure?.code == "missing-asset")
    #expect(status.failure?.message.contains("a.mp4") == true)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a source that is written again with the same bytes is no change`() async throws {
    let status = try await end { try Data("a clip".utf8).write(to: $0) }
    #expect(status.state == .completed)
  }
}
