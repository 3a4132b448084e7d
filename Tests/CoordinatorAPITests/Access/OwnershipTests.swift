import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Submitters do not see, reach or change what belongs to others.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct OwnershipTests {
  private let bytes = Data("a clip".utf8)
  private var asset: AssetReference {
    AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
  }

  private func twoSubmitters() async throws -> (TestFarm, TokenHolder, TokenHolder, JobStatus) {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    #expect(try await ada.upload(bytes).status == .created)
    let job: JobStatus = try await ada.submit(asset).wire()
    return (farm, ada, bob, job)
  }

  @Test(arguments: [
    ("GET", ""), ("GET", "/segments"), ("GET", "/concealments"), ("GET", "/output"),
    ("GET", "/project"), ("GET", "/plan"), ("GET", "/timeline"), ("GET", "/waveform"),
    ("GET", "/segments/0"), ("GET", "/segments/0/attempts"),
    ("GET", "/segments/0/thumbnail"), ("GET", "/attempts"), ("GET", "/stream"),
    ("GET", "/stream.m3u8"), ("GET", "/stream/film/0-0.m4s"),
    ("GET", "/events"), ("POST", "/cancel"),
    ("POST", "/retry"), ("DELETE", ""),
  ])
  func `another submitter's job is not found`(method: String, suffix: String) async throws {
    let (_, ada, bob, job) = try await twoSubmitters()
    let path = "/jobs/\(job.id)\(suffix)"
    let refused = try await bob.send(HTTP.Method(rawValue: method), path)
    #expect(refused.status == .notFound)
    #expect(try await refused.problem() == .notFound)
    #expect(try await ada.send(.get, "/jobs/\(job.id)").status == .ok)
  }

  @Test func `a submitter lists its own jobs, and an observer lists all jobs`() async throws {
    let (farm, ada, bob, job) = try await twoSubmitters()
    let eve = try TokenHolder(.observer, "eve", of: farm)
    #expect(job.submitter == "ada")
    #expect(try await ada.send(.get, "/jobs").wire(as: [JobStatus].self).map(\.id) == [job.id])
    #expect(try await bob.send(.get, "/jobs").wire(as: [JobStatus].self).isEmpty)
    #expect(try await eve.send(.get, "/jobs").wire(as: [JobStatus].self).map(\.id) == [job.id])
  }

  @Test func `a submitter's event stream has only its own jobs`() async throws {
    let (farm, _, bob, job) = try await twoSubmitters()
    _ = try await bob.upload(bytes)
    let own: JobStatus = try await bob.submit(asset).wire()
    let last: JobStatus = try await bob.submit(asset).wire()
    let response = try await bob.send(.get, "/events")
    guard case .events(let events, _) = response.body else {
      Issue.record("the response is not an event stream")
      return
    }
    func cancel(_ job: JobStatus) async throws {
      #expect(try await farm.admin().send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    }
    try await cancel(job)
    try await cancel(own)
    for await event in events {
      #expect(!event.data.contains(job.id))
      guard event.data.contains("\"cancelled\"") else { continue }
      if event.data.contains(last.id) { break }
      // Events that are sent together have no order, but those of the first job come before this one's.
      if event.data.contains(own.id) { try await cancel(last) }
    }
  }

  @Test func `an event stream ends when its token is revoked`() async throws {
    let (farm, ada, _, job) = try await twoSubmitters()
    let response = try await ada.send(.get, "/events")
    async let content = response.content()
    try ada.revoke()
    _ = try await farm.admin().send(.post, "/jobs/\(job.id)/cancel")
    let text = String(decoding: try await content, as: UTF8.self)
    #expect(!text.contains("cancelled"))
  }

  @Test func `another submitter's asset is not found and cannot be used by its digest`()
    async throws
  {
    let (_, ada, bob, _) = try await twoSubmitters()
    let path = "/assets/\(asset.digest)"
    #expect(try await ada.send(.head, path).status == .ok)
    let question = try await bob.send(.head, path)
    #expect(question.status == .notFound)
    #expect(question.headers["Upload-Offset"] == "0")
    #expect(try await bob.send(.get, path).status == .notFound)
    let submission = try await bob.submit(asset)
    #expect(submission.status == .unprocessableContent)
    #expect(try await submission.problem() == .missingAsset)
  }

  @Test func `a submitter that uploads the same bytes has the asset too`() async throws {
    let (_, _, bob, _) = try await twoSubmitters()
    #expect(try await bob.upload(bytes).status == .created)
    #expect(try await bob.submit(asset).status == .created)
  }

  @Test func `wrong bytes do not give access to an existing asset`() async throws {
    let (_, _, bob, _) = try await twoSubmitters()
    let lie = try await bob.send(
      .put, "/assets/\(asset.digest)", body: Data(repeating: 0, count: bytes.count))
    #expect(lie.status == .unprocessableContent)
    #expect(try await bob.send(.head, "/assets/\(asset.digest)").status == .notFound)
  }

  @Test func `an upload does not resume another submitter's upload`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let path = "/assets/\(asset.digest)"
    let first = try await ada.send(
      .put, path, headers: ["Upload-Offset": "0", "Upload-Length": "6"], body: bytes.prefix(5))
    #expect(first.status == .accepted)
    let rest = try await bob.send(
      .put, path, headers: ["Upload-Offset": "5", "Upload-Length": "6"], body: bytes.suffix(1))
    #expect(rest.status == .conflict)
    #expect(rest.headers["Upload-Offset"] == "0")
  }

  @Test func `a file under a media root does not pass for another submitter's asset`() async throws
  {
    let root = try TemporaryDirectory()
    let path = root.path("mine.mp4")
    try Data("b clip".utf8).write(to: URL(fileURLWithPath: path))
    let farm = try await TestFarm(mediaRoots: [root.path], access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    _ = try await ada.upload(bytes)
    let first: JobStatus = try await ada.submit(asset).wire()
    _ = try await farm.admin().end(of: first) { $0.state == .rendering }
    var lie = asset
    lie.path = path
    let job: JobStatus = try await bob.submit(lie).wire()
    let end = try await farm.admin().end(of: job) { $0.state.isFinal }
    #expect(end.failure?.code == "asset-changed")
    let content = try await farm.admin().send(.get, "/assets/\(asset.digest)").content()
    #expect(content == bytes)
  }
}
