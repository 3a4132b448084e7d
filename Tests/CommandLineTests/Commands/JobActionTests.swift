import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// The commands that act on several jobs and workers, and those that read attempts.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct JobActionTests {
  private static func job(_ id: String, _ state: JobState) -> JobStatus {
    JobStatus(id: id, name: "cut", state: state, createdAt: Date(timeIntervalSince1970: 0))
  }

  private static let jobs = [
    job("aaa1", .completed), job("bbb2", .failed), job("ccc3", .cancelled), job("ddd4", .completed),
  ]
  private static let workers = ["www1", "www2"].map {
    WorkerStatus(
      id: $0, name: "rack-\($0.suffix(1))", slots: 1, leases: 0, state: .active,
      segmentsCompleted: 0, segmentsFailed: 0, secondsSinceSeen: 0)
  }
  private static let attempts = [
    SegmentAttempt(
      segment: 0, number: 1, worker: "rack-1", workerID: "www1",
      startedAt: Date(timeIntervalSince1970: 0), endedAt: Date(timeIntervalSince1970: 12),
      outcome: "failed", framesRendered: 40, frameCount: 100,
      code: FailureCode(rawValue: "decode-failed"),
      message: "cannot decode beach.mp4", log: "first line\nsecond line"),
    SegmentAttempt(
      segment: 0, number: 2, worker: "rack-2", workerID: "www2",
      startedAt: Date(timeIntervalSince1970: 13), endedAt: Date(timeIntervalSince1970: 14),
      outcome: "completed", frameCount: 100),
    SegmentAttempt(
      segment: 1, number: 1, worker: "rack-2", workerID: "www2",
      startedAt: Date(timeIntervalSince1970: 15), frameCount: 50),
  ]

  /// Runs a command with a coordinator, and returns the requests that change something too.
  private func sheaf(
    _ arguments: String...
  ) async throws -> (outcome: Program.Outcome, changes: [String]) {
    let changes = Mutex<[String]>([])
    let note: @Sendable (Request) -> Void = { request in
      let body = String(decoding: request.body, as: UTF8.self)
      changes.withLock {
        $0.append("\(request.head.method) \(request.head.path)\(body.isEmpty ? "" : " " + body)")
      }
    }
    let find: @Sendable (Request) throws -> JobStatus = { request in
      let id = try request.head.parameter("id")
      guard let job = Self.jobs.first(where: { $0.id == id }) else {
        throw HTTPError(
          .notFound, type: ProblemType.notFound.rawValue, detail: "there is no job '\(id)'")
      }
      return job
    }
    var router = Router()
    router.get("/api/v1/jobs") { _ in .json(data: try FarmCoding.encode(Self.jobs)) }
    router.get("/api/v1/jobs/{id}") { .json(data: try FarmCoding.encode(find($0))) }
    router.post("/api/v1/jobs/{id}/retry") { request in
      note(request)
      return .json(data: try FarmCoding.encode(Self.job(find(request).id, .queued)))
    }
    router.put("/api/v1/jobs/{id}/priority") { request in
      note(request)
      var job = try find(request)
      job.priority = -5
      return .json(data: try FarmCoding.encode(job))
    }
    router.delete("/api/v1/jobs/{id}") { request in
      note(request)
      return Response(.noContent)
    }
    router.get("/api/v1/jobs/{id}/attempts") { request in
      let skipped = request.query["after"].flatMap { Int($0) } ?? 0
      return .json(data: try FarmCoding.encode(Array(Self.attempts.dropFirst(skipped))))
    }
    router.get("/api/v1/jobs/{id}/segments/{index}/attempts") { request in
      let index = Int(try request.head.parameter("index"))
      let list = Self.attempts.filter { $0.segment == index }
      return .json(data: try FarmCoding.encode(Array(list.reversed())))
    }
    router.get("/api/v1/workers") { _ in .json(data: try FarmCoding.encode(Self.workers)) }
    for action in ["drain", "resume"] {
      router.post("/api/v1/workers/{id}/\(action)") { request in
        note(request)
        let id = try request.head.parameter("id")
        var worker = Self.workers.first { $0.id == id }
        worker?.state = action == "drain" ? .draining : .active
        return .json(data: try FarmCoding.encode(worker))
      }
    }
    let server = try Server(ServerConfiguration(), router: router)
    let outcome = try Program.sheaf.run(
      arguments + ["--coordinator", "http://127.0.0.1:\(server.port)"])
    await server.shutdown(grace: .zero)
    return (outcome, changes.withLock { $0 })
  }

  @Test func `jobs are retried, and an unknown one does not keep the others from that`()
    async throws
  {
    let (outcome, changes) = try await sheaf("retry", "bbb", "zzz", "ccc3")
    #expect(outcome.status == 1)
    #expect(outcome.standardOutput == "bbb2 queued\nccc3 queued\n")
    #expect(outcome.standardError.contains("there is no job 'zzz'"))
    #expect(changes == ["POST /api/v1/jobs/bbb2/retry", "POST /api/v1/jobs/ccc3/retry"])
  }

  @Test func `jobs are deleted`() async throws {
    let (outcome, changes) = try await sheaf("delete", "aaa1", "d")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "aaa1 deleted\nddd4 deleted\n")
    #expect(changes == ["DELETE /api/v1/jobs/aaa1", "DELETE /api/v1/jobs/ddd4"])
  }

  @Test func `a priority may be negative`() async throws {
    let (outcome, changes) = try await sheaf("priority", "bbb", "-5")
    #expect(outcome.standardOutput == "bbb2 failed, priority -5\n", "\(outcome.standardError)")
    #expect(changes == [#"PUT /api/v1/jobs/bbb2/priority {"priority":-5}"#])
    #expect(try await sheaf("priority", "bbb", "101").outcome.status == 2)
    #expect(try await sheaf("priority", "bbb").outcome.status == 2)
  }

  @Test func `workers are drained and resumed by name or id`() async throws {
    let drained = try await sheaf("drain", "rack-1", "www2")
    #expect(drained.outcome.standardOutput == "www1 draining rack-1\nwww2 draining rack-2\n")
    #expect(drained.changes.count == 2)
    let resumed = try await sheaf("resume", "rack-2")
    #expect(resumed.changes == ["POST /api/v1/workers/www2/resume"])
    let several = try await sheaf("drain", "www")
    #expect(several.outcome.status == 2)
    #expect(several.changes == [])
  }

  @Test func `waiting ends with the exit code of the worst job`() async throws {
    let all = try await sheaf("wait", "aaa1", "bbb2", "ccc3")
    #expect(all.outcome.status == 1)
    #expect(all.outcome.standardOutput == "aaa1 completed\nbbb2 failed\nccc3 cancelled\n")
    let good = try await sheaf("wait", "aaa1", "ddd4", "--quiet")
    #expect(good.outcome.status == 0)
    #expect(good.outcome.standardOutput == "")
  }

  @Test func `attempts are printed with their outcomes and logs`() async throws {
    let (outcome, _) = try await sheaf("logs", "aaa1")
    #expect(
      outcome.standardOutput == """
        segment 0, attempt 1 on rack-1: failed after 12 s, 40 of 100 frames: decode-failed: cannot decode beach.mp4
          first line
          second line
        segment 0, attempt 2 on rack-2: completed after 1.0 s
        segment 1, attempt 1 on rack-2: running

        """)
  }

  @Test func `the attempts at one segment are followed until the job ends`() async throws {
    let (outcome, _) = try await sheaf("logs", "aaa1", "0", "--follow", "--json")
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(
      try lines.map { try FarmCoding.decode(SegmentAttempt.self, from: Data($0.utf8)) }
        == Array(Self.attempts.prefix(2)))
    #expect(try await sheaf("logs", "aaa1", "first").outcome.status == 2)
  }
}
