import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing

@Suite(.mayBlock) struct JobTests {
  @Test func `a submitted job ends with a file that has its chunks in order`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    var delivered: [Int: Data] = [:]
    var count = Int.max
    while delivered.count < count {
      let lease = try await farm.lease(worker)
      count = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
      #expect(try await farm.deliver(lease).status == .ok)
      delivered[lease.segment] = TestFarm.chunk(of: lease)
    }
    let end = try await farm.end(of: job)
    #expect(end.state == .completed)
    #expect(end.framesRendered == end.frameCount)
    let expected = delivered.sorted { $0.key < $1.key }.map(\.value).reduce(Data(), +)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(try await output.content() == expected)
    #expect(end.output?.sha256 == Digest.of(expected))
    #expect(end.output?.fileName == "cut.mp4")
    let part = try await farm.send(
      .get, "/jobs/\(job.id)/output", headers: ["Range": "bytes=0-2"])
    #expect(part.status == .partialContent)
    #expect(try await part.content() == expected.prefix(3))
  }

  @Test func `a job reports its loudness, even after it has ended`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    let project = """
      {"version": 1, "sequence": [{"clip": "a.mp4", "out": 1}],
       "export": {"audio": {"loudness": -16}}}
      """
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: ["a.mp4": asset])
    ).wire()
    #expect(job.loudness == nil)
    let worker = try await farm.register()
    var segments = 1
    var delivered = 0
    while delivered < segments {
      let lease = try await farm.lease(worker)
      segments = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
      #expect(try await farm.deliver(lease).status == .ok)
      delivered += 1
    }
    let end = try await farm.end(of: job)
    #expect(
      end.loudness
        == LoudnessReport(
          target: -16, before: -23, gain: 7, after: -16, truePeak: -1, isLimited: false))
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).loudness == end.loudness)
  }

  @Test func `an invalid project is refused at once`() async throws {
    let farm = try await TestFarm()
    let submission = JobSubmission(name: "cut", project: "{\"version\": 2}", assets: [:])
    let response = try await farm.post("/jobs", submission)
    #expect(response.status == .unprocessableContent)
    #expect(try await response.problem() == .invalidProject)
  }

  @Test func `a project that does not fit its media fails during planning`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("a clip".utf8))
    let project = "{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\", \"in\": 2, \"out\": 99}]}"
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: ["a.mp4": asset]))
    let end = try await farm.end(of: response.wire())
    #expect(end.state == .failed)
    #expect(end.failure?.code == "invalid-project")
  }

  @Test func `a submission with missing assets is refused, and the error names them`() async throws
  {
    let farm = try await TestFarm()
    let asset = AssetReference(digest: Digest.of(Data("elsewhere".utf8)), byteCount: 9)
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset]))
    #expect(response.status == .unprocessableContent)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains(ProblemType.missingAsset.rawValue))
    #expect(text.contains("a.mp4"))
  }

  @Test func `an asset that cannot be indexed fails the job`() async throws {
    let farm = try await TestFarm(
      media: FakeMedia(failure: .init(description: "a.mp4: not media")))
    let end = try await farm.end(of: farm.submit())
    #expect(end.state == .failed)
    #expect(end.failure?.message == "a.mp4: not media")
  }

  @Test func `an asset is indexed once, no matter how many jobs use it`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    for _ in 0..<2 {
      let job = try await farm.submit()
      let lease = try await farm.lease(worker)
      #expect(lease.job == job.id)
      _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    }
    #expect(farm.media.probedNames == ["a.mp4"])
  }

  @Test func `a cancelled job stops its workers and accepts no chunks`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let cancelled: JobStatus = try await farm.send(.post, "/jobs/\(job.id)/cancel").wire()
    #expect(cancelled.state == .cancelled)
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(try await beat.wire(as: HeartbeatAnswer.self).stop)
    #expect(try await farm.deliver(lease).status == .conflict)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").problem() == .wrongState)
  }

  @Test func `a retried job keeps its accepted chunks`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    #expect(try await farm.deliver(first).status == .ok)
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    var status: JobStatus
    repeat {
      let lease = try await farm.lease(worker)
      #expect(lease.segment != first.segment)
      status = try await farm.get("/jobs/\(job.id)")
      #expect(try await farm.deliver(lease).status == .ok)
    } while status.segments.pending > 0
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test func `a running job cannot be retried and has no file`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").problem() == .wrongState)
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").problem() == .wrongState)
  }

  @Test(arguments: [
    "/jobs/none", "/jobs/none/segments", "/jobs/none/output", "/jobs/none/events",
  ])
  func `an unknown job is not found`(path: String) async throws {
    let farm = try await TestFarm()
    #expect(try await farm.send(.get, path).problem() == .notFound)
  }

  @Test(arguments: [
    ("cut.json", "cut.mp4"), ("../../etc/passwd", "_.._etc_passwd.mp4"), ("", "output.mp4"),
    ("a\nb", "a_b.mp4"),
  ])
  func `a job's name becomes a safe file name`(name: String, expected: String) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit(name: name)
    let worker = try await farm.register()
    var status: JobStatus
    repeat {
      let lease = try await farm.lease(worker)
      status = try await farm.get("/jobs/\(job.id)")
      #expect(try await farm.deliver(lease).status == .ok)
    } while status.segments.pending > 0
    #expect(try await farm.end(of: job).output?.fileName == expected)
  }
}
