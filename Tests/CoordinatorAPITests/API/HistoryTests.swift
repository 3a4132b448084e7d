import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Testing
import sheaf_coordinator

/// The history of a job: its strip, its segments and the attempts at them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct HistoryTests {
  @Test func `a job's strip and numbers of frames follow its segments`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    #expect(job.strip == nil && job.framesEncoded == nil && job.startedAt == nil)
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    let leased: JobStatus = try await farm.get("/jobs/\(job.id)")
    let frames = try #require(leased.frameCount)
    let strip = try #require(leased.strip.flatMap(SegmentStrip.init(_:)))
    #expect(strip.frameCount == frames)
    let rendering = strip.runs.filter { $0.state == .rendering }
    #expect(rendering.map(\.frameCount) == [lease.description.frameCount])
    #expect(leased.startedAt != nil)
    #expect(leased.framesEncoded == frames && leased.framesCopied == 0 && leased.framesReused == 0)
    #expect(try await farm.deliver(lease).status == .ok)
    let delivered: JobStatus = try await farm.get("/jobs/\(job.id)")
    let encoded = try #require(delivered.strip.flatMap(SegmentStrip.init(_:))).runs
      .filter { $0.state == .encoded }
    #expect(encoded.map(\.frameCount) == [lease.description.frameCount])
    let end = try await farm.finish(job, by: worker)
    #expect(end.strip == "e\(frames)")
    #expect(try await farm.get("/jobs", as: [JobStatus].self).first?.strip == end.strip)

    // All chunks are those of the earlier job.
    let again = try await farm.submit(rerenders: false)
    let reused = try await farm.end(of: again)
    #expect(reused.strip == "u\(frames)" && reused.framesReused == frames)
    #expect(reused.framesEncoded == 0 && reused.startedAt == nil)
    let segment: SegmentStatus = try await farm.get("/jobs/\(again.id)/segments/0")
    #expect(segment.isReused == true)
  }

  @Test func `a segment says how it is made and why`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    _ = try await farm.lease(farm.register())
    let all: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    let third: SegmentStatus = try await farm.get("/jobs/\(job.id)/segments/2")
    #expect(third == all[2])
    #expect(third.kind == .encoded && third.reason == "the preset encodes every frame")
    #expect(third.memory.map { $0 > 0 } == true && third.isReused == nil)
    for index in ["\(all.count)", "-1", "x", "99999999999"] {
      let refused = try await farm.send(.get, "/jobs/\(job.id)/segments/\(index)")
      #expect(refused.status == .notFound)
      #expect(try await refused.problem() == .notFound)
    }
  }

  @Test func `the attempts at a segment have workers, times, outcomes and logs`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register(name: "rack")
    let lease = try await farm.lease(worker)
    #expect(try await !farm.isStopped(lease))
    let path = "/jobs/\(job.id)/segments/\(lease.segment)/attempts"
    let running = try #require(try await farm.get(path, as: [SegmentAttempt].self).first)
    #expect(running.number == 1 && running.worker == "rack" && running.workerID == worker)
    #expect(running.startedAt != nil && running.endedAt == nil && running.outcome == nil)
    #expect(running.framesRendered == 1 && running.frameCount == lease.description.frameCount)
    #expect(running.log?.contains("coordinator: attempt 1 at segment") == true)
    let report = FailureReport(
      code: .renderFailed, message: "the encoder broke", isPermanent: false)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    let failed = try #require(try await farm.get(path, as: [SegmentAttempt].self).first)
    #expect(failed.outcome == "failed" && failed.code == .renderFailed)
    #expect(failed.message == "the encoder broke" && failed.endedAt != nil)
    #expect(failed.framesRendered == 1)
    let lines = try #require(failed.log).split(separator: "\n")
    #expect(lines.count == 2 && lines.last?.hasSuffix(": the encoder broke") == true)

    let end = try await farm.finish(job, by: farm.register(name: "den"))
    #expect(end.state == .completed)
    let attempts: [SegmentAttempt] = try await farm.get(path)
    #expect(attempts.map(\.number) == [2, 1])
    #expect(attempts.first?.outcome == "completed" && attempts.first?.worker == "den")
    #expect(attempts.first?.log?.hasSuffix("the chunk was accepted\n") == true)
    let all: [SegmentAttempt] = try await farm.get("/jobs/\(job.id)/attempts")
    #expect(all.count == end.segments.total + 1)
    #expect(all.first?.segment == lease.segment && all.first?.outcome == "failed")
    #expect(all.allSatisfy { $0.log == nil })
    #expect(all.compactMap(\.startedAt) == all.compactMap(\.startedAt).sorted())
    let page: [SegmentAttempt] = try await farm.get(
      "/jobs/\(job.id)/attempts?after=1&limit=2&logs=true")
    #expect(page.map(\.segment) == all[1...2].map(\.segment))
    #expect(page.allSatisfy { $0.log != nil })
    #expect(end.startedAt == all.first?.startedAt)
  }

  @Test func `the lines that a worker sends are part of its attempt's log`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    let path = "/jobs/\(job.id)/segments/\(lease.segment)/attempts"
    var beat = Heartbeat(framesRendered: 1)
    beat.log = "worker: reading /srv/media/a.mp4 from 10.0.0.7 under \(lease.token)\n"
    #expect(
      try await farm.send(.put, "/leases/\(lease.token)", body: FarmCoding.encode(beat)).status
        == .ok)
    let running = try #require(try await farm.get(path, as: [SegmentAttempt].self).first)
    let shown = "reading …/a.mp4 from a private address under …"
    #expect(running.log?.hasSuffix("worker: \(shown)\n") == true)
    let response = try await farm.deliver(lease) { $0.log = Data("worker: rendered\n".utf8) }
    #expect(response.status == .ok)
    let completed = try #require(try await farm.get(path, as: [SegmentAttempt].self).first)
    #expect(
      completed.log?.split(separator: "\n").map { $0.split(separator: ": ").last }
        == [
          running.log?.split(separator: "\n").first?.split(separator: ": ").last,
          shown[...], "rendered", "the chunk was accepted",
        ])

    let other = try await farm.lease(worker)
    var report = FailureReport(code: .renderFailed, message: "no", isPermanent: false)
    report.log = String(repeating: "\u{1B}[2K worker: a line\n", count: 1200)
    let answer = try await farm.post("/leases/\(other.token)/failure", report)
    let detail = String(decoding: try await answer.content(), as: UTF8.self)
    #expect(answer.status == .noContent, "\(detail)")
    let failed = try #require(
      try await farm.get(
        "/jobs/\(job.id)/segments/\(other.segment)/attempts", as: [SegmentAttempt].self
      ).first)
    let log = try #require(failed.log)
    #expect(log.utf8.count <= AttemptLog.byteLimit && log.contains("lines are missing here"))
    #expect(!log.contains("\u{1B}") && log.hasSuffix("render-failed: no\n"))
  }

  @Test(arguments: ["limit=0", "after=-1", "logs=maybe", "logs=true&limit=101"])
  func `an invalid page of attempts is refused`(query: String) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let response = try await farm.send(.get, "/jobs/\(job.id)/attempts?\(query)")
    #expect(response.status == .badRequest)
    #expect(try await response.problem() == .malformedRequest)
  }

  @Test func `attempts are still known after a restart`() async throws {
    let scratch = try TemporaryDirectory()
    var job: JobStatus
    do {
      let farm = try await TestFarm(in: scratch, ledger: .onDisk)
      job = try await farm.submit()
      let lease = try await farm.lease(farm.register(name: "rack"))
      #expect(try await farm.deliver(lease).status == .ok)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(scratch.path("data"))
    let farm = try await TestFarm(in: scratch, ledger: .onDisk)
    let attempts: [SegmentAttempt] = try await farm.get("/jobs/\(job.id)/attempts?logs=true")
    #expect(attempts.map(\.worker) == ["rack"] && attempts.map(\.outcome) == ["completed"])
    #expect(attempts.first?.log?.contains("the chunk was accepted") == true)
    job = try await farm.get("/jobs/\(job.id)")
    #expect(job.strip?.contains("e") == true && job.startedAt == attempts.first?.startedAt)
    await farm.coordinator.stop()
  }
}
