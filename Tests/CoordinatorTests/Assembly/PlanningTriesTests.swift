import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Preparation
import SQL
import SQLite
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Jobs whose planning does not finish.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanningTriesTests {
  @Test(arguments: FarmSecurity.allCases)
  func `a job fails after planning it crashes the coordinator three times`(
    security: FarmSecurity
  ) async throws {
    let directory = try TemporaryDirectory()
    let job: JobStatus
    do {
      // Planning never ends, so the job is still being planned when the coordinator stops.
      let farm = try await TestFarm(
        media: FakeMedia(planning: .never), in: directory, ledger: .onDisk, security: security)
      job = try await farm.submit()
      try await eventually("the job is being planned") {
        try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .planning
      }
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    do {
      let ledger = try Database(.file(directory.path("data/ledger.sqlite")))
      // A clean stop does not count as a try.
      let tries: Int? = try ledger.first("SELECT planning_tries FROM jobs") {
        try $0.get("planning_tries")
      }
      #expect(tries == 0)
      try ledger.run("UPDATE jobs SET planning_tries = 3")
    }
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    let end = try await farm.end(of: job)
    #expect(end.state == .failed)
    #expect(end.failure?.code == "planning-given-up")
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    #expect(try await planned(job, on: farm).state == .rendering, "a retry resets the count")
  }

  private static let quick = RunTries(firstPause: .milliseconds(10))

  /// Waits until a job is planned, or has ended.
  private func planned(_ job: JobStatus, on farm: TestFarm) async throws -> JobStatus {
    try await eventually("the job is planned, or ends") {
      try await farm.get("/jobs/\(job.id)", as: JobStatus.self)
    } satisfies: {
      $0.state == .rendering || $0.state.isFinal
    }
  }

  @Test func `a job whose planning process is killed from outside is planned again`() async throws {
    let farm = try await TestFarm(
      media: FakeMedia(planning: .killed(times: 4)), tries: Self.quick)
    let status = try await planned(farm.submit(), on: farm)
    #expect(status.state == .rendering, "\(status.failure?.message ?? "")")
  }

  @Test func `a job whose planning process is killed from outside five times fails`() async throws {
    let farm = try await TestFarm(
      media: FakeMedia(planning: .killed(times: 5)), tries: Self.quick)
    let end = try await farm.end(of: farm.submit())
    #expect(end.state == .failed)
    #expect(end.failure?.code == "media-process-killed")
  }

  @Test(arguments: [(2, Status.created), (5, .serviceUnavailable)])
  func `a submission whose reading process is killed from outside is read again four times`(
    times: Int, answer: Status
  ) async throws {
    let left = Mutex(times)
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, _ in
        let isKilled = left.withLock { left in
          defer { left -= 1 }
          return left > 0
        }
        if isKilled { throw JobError(.mediaProcessKilled, "the process was killed") }
        return try SubmissionReading.read(request)
      }), tries: Self.quick)
    let asset = try await farm.upload(Data("a clip".utf8))
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset]))
    #expect(response.status == answer)
    #expect(left.withLock { $0 } == (answer == .created ? -1 : 0))
  }

  @Test func `a submission whose reading process times out may be sent again`() async throws {
    let farm = try await TestFarm(
      media: FakeMedia(reading: { _, _ in
        throw JobError(.mediaProcessTimedOut, "the project: it took too long")
      }))
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: "{}", assets: [:]))
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers["Retry-After"] != nil)
  }

  // 127 is the exit code of a program whose libraries are missing.
  @Test(arguments: ["echo sheaf-media has version 1 >&2; exit 2", "exit 127"])
  func `an unusable media program is reported instead of the project`(
    body: String
  ) async throws {
    let scratch = try TemporaryDirectory()
    defer { withExtendedLifetime(scratch) {} }
    let children = MediaChildren(limit: 1, executable: try scratch.script(body))
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, submitter in
        try await children.read(request, for: submitter)
      }))
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: "{}", assets: [:]))
    #expect(response.status == .unprocessableContent)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains("sheaf-media cannot be used"), "\(text)")
  }

  @Test func `a project whose reading process reached a limit is not read again`() async throws {
    let count = Mutex(0)
    let farm = try await TestFarm(
      media: FakeMedia(reading: { _, _ in
        count.withLock { $0 += 1 }
        throw JobError.beyond("--max-planning-seconds", "it takes too long", "simplify it")
      }))
    let response = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: "{}", assets: [:]))
    #expect(response.status == .contentTooLarge)
    #expect(count.withLock { $0 } == 1)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a job that reached a limit is not planned again after a restart`(
    security: FarmSecurity
  ) async throws {
    let directory = try TemporaryDirectory()
    var limits = Limits()
    limits.planning.segments = 1
    let job: JobStatus
    do {
      let farm = try await TestFarm(
        in: directory, ledger: .onDisk, limits: limits, security: security)
      job = try await farm.end(of: farm.submit())
      #expect(job.failure?.code == "limit-reached")
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .failed)
    #expect(farm.media.probedNames == [])
  }
}
