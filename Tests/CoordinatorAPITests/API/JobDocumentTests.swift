import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing
import sheaf_coordinator

/// The project, plan, timeline and waveform of a job.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobDocumentTests {
  @Test func `a job's project is returned as it was submitted`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let response = try await farm.send(.get, "/jobs/\(job.id)/project")
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(String(decoding: try await response.content(), as: UTF8.self) == TestFarm.project)
  }

  @Test func `an observer does not see the queries of URLs in a project`() async throws {
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin("https://media.example.com"))]
    let farm = try await TestFarm(sources: sources, access: .tokens)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let clip = "https://media.example.com/a.mp4?key=x"
    let project = #"{"version": 1, "sequence": [{"clip": "\#(clip)"}]}"#
    let job: JobStatus = try await ada.send(
      .post, "/jobs",
      body: FarmCoding.encode(JobSubmission(name: "cut", project: project, assets: [:]))
    ).wire()
    func text(_ holder: TokenHolder) async throws -> String {
      let response = try await holder.send(.get, "/jobs/\(job.id)/project")
      return String(decoding: try await response.content(), as: UTF8.self)
    }
    #expect(try await text(ada) == project)
    let shown = try await text(eve)
    #expect(shown.contains("media.example.com/a.mp4") && !shown.contains("key=x"))
  }

  @Test func `a job's plan comes in pages`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let plan: [PlanSegment] = try await farm.get("/jobs/\(job.id)/plan")
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(plan.map(\.first) == segments.map(\.first) && plan.map(\.end) == segments.map(\.end))
    #expect(plan.allSatisfy { $0.kind == .encoded && $0.cost > 0 && $0.contentKey != nil })
    let leased = try #require(plan.first { $0.index == lease.segment })
    #expect(leased.contentKey == (try lease.description.contentKey(fingerprint: "x264")))
    #expect(leased.assets == lease.assets.map(\.digest))
    let page: [PlanSegment] = try await farm.get("/jobs/\(job.id)/plan?after=1&limit=2")
    #expect(page == Array(plan[2...3]))
    #expect(try await farm.send(.get, "/jobs/\(job.id)/plan?limit=0").status == .badRequest)
  }

  @Test func `a job's timeline has its clips and transitions in output seconds`() async throws {
    let farm = try await TestFarm()
    let project = """
      {"version": 1, "sequence": [
        {"clip": "a.mp4", "in": 1, "out": 4}, {"transition": "dissolve", "duration": 1},
        {"clip": "a.mp4", "out": 2}],
       "export": {"timeRange": {"start": 1, "duration": "12/5"}}}
      """
    let job = try await farm.submit(project: project)
    _ = try await farm.lease(farm.register())
    let timeline: JobTimeline = try await farm.get("/jobs/\(job.id)/timeline")
    #expect(timeline.duration == 2.4 && timeline.isShortened == nil)
    #expect(timeline.frameCount == 60 && timeline.frameDuration == 0.04)
    #expect(timeline.transitions == [.init(kind: "dissolve", start: 1, end: 2)])
    let videos = timeline.tracks.filter { $0.kind == .video }
    #expect(
      videos.map(\.items) == [
        [.init(name: "a.mp4", asset: "a.mp4", start: 0, end: 2)],
        [.init(name: "a.mp4", asset: "a.mp4", start: 1, end: 2.4)],
      ])
  }

  @Test func `a timeline that a media process forged is not stored`() async throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.path("timeline")
    #expect(JobTimeline.read(from: path) == nil)
    let valid = JobTimeline(
      frameCount: 1, frameDuration: 1, duration: 1, tracks: [], transitions: [])
    try FarmCoding.encode(valid).write(to: URL(filePath: path))
    #expect(JobTimeline.read(from: path) == (try FarmCoding.encode(valid)))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: path)
    #expect(JobTimeline.read(from: scratch.path("link")) == nil)
    var long = valid
    long.transitions = Array(
      repeating: .init(kind: "wipe", start: 0, end: 1), count: JobTimeline.itemLimit + 1)
    try FarmCoding.encode(long).write(to: URL(filePath: path))
    #expect(JobTimeline.read(from: path) == nil)
    try Data("[]".utf8).write(to: URL(filePath: path))
    #expect(JobTimeline.read(from: path) == nil)
  }

  @Test func `a job has a waveform once its sound is mixed`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.finish(job, by: worker).state == .completed)
    let waveform: Waveform = try await farm.get("/jobs/\(job.id)/waveform")
    #expect(waveform.peaks == [0, 128, 255] && waveform.sampleRate == 48_000)
  }

  @Test func `a segment has a thumbnail once its chunk is accepted, and it is made once`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let path = "/jobs/\(job.id)/segments/\(lease.segment)/thumbnail"
    #expect(try await farm.send(.get, path).status == .notFound)
    #expect(try await farm.deliver(lease).status == .ok)
    let response = try await farm.send(.get, path)
    #expect(response.status == .ok && response.headers["Content-Type"] == "image/jpeg")
    let expected = Data("picture of ".utf8) + TestFarm.chunk(of: lease)
    #expect(try await response.content() == expected)
    let tag = try #require(response.headers["ETag"])
    #expect(
      try await farm.send(.get, path, headers: ["If-None-Match": tag]).status == .notModified)
    #expect(try await farm.send(.get, path).content() == expected)
    #expect(farm.media.pictureCount == 1)
    #expect(
      try await farm.send(.get, "/jobs/\(job.id)/segments/9999/thumbnail").status == .notFound)
  }
}
