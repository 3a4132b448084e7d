import FarmAPI
import Scheduling
import Support
import Testing

@Suite(.mayBlock) struct FailureTests {
  @Test func `a job that three workers failed lists each error once`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    var failures: [JobFailure] = []
    for worker in ["a", "b", "c"] {
      farm.addWorker(worker)
      #expect(failures.isEmpty)
      let grant = try farm.lease(worker)
      failures += farm.handle(.attemptFailed(grant.token, decodeFailed)).jobFailures
    }
    #expect(
      failures == [
        JobFailure(
          code: "decode-failed",
          message: "segment 0 (frames 0..<10): host-a, host-b, host-c: a.mp4: broken")
      ])
    #expect(farm.scheduler.progress(of: job) == nil)
  }

  @Test func `the message of a job that several workers failed has at most 64 KiB`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    var failures: [JobFailure] = []
    for worker in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
      farm.addWorker(worker)
      let report = FailureReport(
        code: .renderProcessKilled,
        message: worker + String(repeating: "é", count: 40_000), isPermanent: false)
      let grant = try farm.lease(worker)
      failures += farm.handle(.attemptFailed(grant.token, report)).jobFailures
    }
    let message = try #require(failures.first?.message)
    #expect(message.utf8.count <= JobFailure.longestMessage)
    #expect(message.contains("host-b: bééé"))
    #expect(message.hasSuffix("…"))
  }

  private func attempt(_ number: Int, messageOf count: Int) -> FailedAttempt {
    FailedAttempt(
      worker: WorkerID(rawValue: "w\(number)"), workerName: "host-\(number)",
      report: FailureReport(
        code: "decode-failed", message: String(repeating: "m", count: count), isPermanent: false))
  }

  @Test func `the failed attempts of a job take at most 256 KiB`() {
    var room = FailureRoom()
    let held = (0..<1000).map { room.admit(attempt($0, messageOf: 8000)) }
    let whole = held.filter { $0.report.message != FailureRoom.replacement }
    let size = whole.map { $0.workerName + $0.report.code.rawValue + $0.report.message }
      .reduce(0) { $0 + $1.utf8.count }
    #expect(size == room.byteCount)
    #expect(room.byteCount <= FailureRoom.bytesPerJob)
    #expect(whole.count == 32)
    #expect(held.allSatisfy { $0.report.code == "decode-failed" })
    #expect(held.last?.workerName == "w999")
  }

  private static let long = FailureReport(
    code: "decode-failed", message: String(repeating: "é", count: 4000), isPermanent: false)

  /// Adds a job that is older than those added before, and fails each of its segments once, with a message of 8000
  /// bytes.
  private func addFailedJob(
    _ id: String, number: Int, segments: Int, to farm: inout SimulatedFarm
  ) throws {
    farm.addJob(id, order: number, priority: number, frames: Array(repeating: 10, count: segments))
    var grants: [Grant] = []
    for segment in 0..<segments {
      farm.addWorker("\(id)-\(segment)")
      grants.append(try farm.lease("\(id)-\(segment)"))
    }
    for grant in grants {
      let failures = farm.handle(.attemptFailed(grant.token, Self.long)).jobFailures
      #expect(failures.isEmpty)
    }
  }

  /// Makes two more workers fail the first segment of the oldest job, and returns the message of its failure.
  private func end(_ farm: inout SimulatedFarm) throws -> String {
    var failures: [JobFailure] = []
    for worker in ["x", "y"] {
      farm.addWorker(worker)
      let grant = try farm.lease(worker)
      #expect(grant.segment.index == 0)
      failures += farm.handle(.attemptFailed(grant.token, Self.long)).jobFailures
    }
    return try #require(failures.first?.message)
  }

  @Test func `a job with many failed segments stores no further messages`() throws {
    var farm = try SimulatedFarm()
    try addFailedJob("job", number: 1, segments: 60, to: &farm)
    let message = try end(&farm)
    #expect(message.contains("host-job-0: ééé"))
    #expect(message.hasSuffix("x, y: \(FailureRoom.replacement)"))
  }

  @Test
  func `the failed attempts of all jobs take at most 16 MiB, and those of ended jobs nothing`()
    throws
  {
    var farm = try SimulatedFarm()
    for number in 1...70 {
      try addFailedJob("job\(number)", number: number, segments: 33, to: &farm)
    }
    let message = try end(&farm)
    #expect(!message.contains("é"))
    #expect(message.contains("job70-0, x, y: \(FailureRoom.replacement)"))
    for number in 1...69 { farm.handle(.jobRemoved(JobID(rawValue: "job\(number)"))) }
    try addFailedJob("last", number: 71, segments: 1, to: &farm)
    let last = try end(&farm)
    #expect(last.contains("host-last-0, host-x, host-y: ééé"))
  }

  @Test func `workers with full disks do not count as distinct failures`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(failureLimit: 6))
    farm.addJob(frames: [10])
    let full = FailureReport(
      code: .localDisk, message: "no space", isPermanent: false)
    var failures: [JobFailure] = []
    for worker in ["a", "b", "c", "d", "e", "f"] {
      farm.addWorker(worker)
      #expect(failures.isEmpty)
      let grant = try farm.lease(worker)
      failures += farm.handle(.attemptFailed(grant.token, full)).jobFailures
    }
    #expect(failures.map(\.code) == ["local-disk"])
  }

  @Test func `a job fails only after ten killed render processes`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(failureLimit: 4))
    farm.addJob(frames: [10])
    let killed = FailureReport(
      code: .renderProcessKilled, message: "a.mp4: killed", isPermanent: false)
    var failures: [JobFailure] = []
    for number in 1...10 {
      farm.addWorker("\(number)")
      #expect(failures.isEmpty)
      let grant = try farm.lease("\(number)")
      failures += farm.handle(.attemptFailed(grant.token, killed)).jobFailures
    }
    #expect(failures.map(\.code) == ["render-process-killed"])
  }

  @Test func `a lone worker waits longer after each killed render process`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 5])
    farm.addWorker("a")
    let killed = FailureReport(
      code: .renderProcessKilled, message: "a.mp4: killed", isPermanent: false)
    let first = try farm.lease("a")
    #expect(farm.handle(.attemptFailed(first.token, killed)).jobFailures.isEmpty)
    // Other segments do not wait for it.
    let other = try farm.lease("a")
    #expect(other.segment.index == 1)
    farm.handle(.chunkAccepted(other.token))

    var failures: [JobFailure] = []
    for pause in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      let begin = farm.now
      #expect(farm.want("a", wait: .seconds(600)).grants.isEmpty)
      #expect(failures.isEmpty)
      // The shell's timer follows the deadlines and reaches this one without any other event.
      var grant: Grant?
      while grant == nil, farm.now - begin < .seconds(600),
        let next = farm.scheduler.nextDeadline
      {
        grant = farm.wait(next - farm.now).grants.first
      }
      #expect(farm.now - begin == .seconds(pause))
      let token = try #require(grant).token
      failures += farm.handle(.attemptFailed(token, killed)).jobFailures
    }
    #expect(failures.map(\.code) == ["render-process-killed"])
  }

  @Test func `another worker need not wait after a killed render process`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    let killed = FailureReport(
      code: .renderProcessKilled, message: "a.mp4: killed", isPermanent: false)
    farm.handle(.attemptFailed(try farm.lease("a").token, killed))
    #expect(farm.want("a").grants.isEmpty)
    farm.addWorker("b")
    #expect(try farm.lease("b").segment.index == 0)
  }

  @Test func `killed render processes are counted separately from other failures`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(distinctWorkerLimit: 2, failureLimit: 3))
    farm.addJob(frames: [10])
    let killed = FailureReport(
      code: .renderProcessKilled, message: "a.mp4: killed", isPermanent: false)
    for (worker, report) in [("a", killed), ("b", killed), ("c", killed), ("d", decodeFailed)] {
      farm.addWorker(worker)
      let grant = try farm.lease(worker)
      #expect(farm.handle(.attemptFailed(grant.token, report)).jobFailures.isEmpty)
    }
    farm.addWorker("e")
    let grant = try farm.lease("e")
    let failures = farm.handle(.attemptFailed(grant.token, decodeFailed)).jobFailures
    #expect(failures.map(\.code) == ["decode-failed"])
  }

  @Test func `a damaged chunk may be sent again a few times`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(damagedUploadLimit: 3))
    farm.addJob(frames: [10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    for _ in 0..<2 { #expect(farm.handle(.chunkDamaged(grant.token, decodeFailed)).isEmpty) }
    #expect(
      farm.handle(.chunkDamaged(grant.token, decodeFailed)).ended == [.failed(decodeFailed)])
    #expect(
      farm.handle(.chunkDamaged(grant.token, decodeFailed)).contains(.rejectStale(grant.token)))
  }

  @Test func `a permanent failure fails the job at once`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    let other = try farm.lease("a")
    let report = FailureReport(code: "missing-asset", message: "a.mp4: gone", isPermanent: true)
    let actions = farm.handle(.attemptFailed(grant.token, report))
    #expect(actions.jobFailures == [JobFailure(code: "missing-asset", message: "a.mp4: gone")])
    #expect(actions.ended == [.failed(report), .revoked])
    #expect(
      farm.handle(.heartbeat(other.token, framesRendered: 1))
        == [.answerHeartbeat(other.token, stop: true)])
  }

  @Test func `a worker does not get back a segment that it failed if others can take it`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    farm.addWorker("b")
    let grant = try farm.lease("a")
    farm.handle(.attemptFailed(grant.token, decodeFailed))
    #expect(farm.want("a").isEmpty)
    #expect(try farm.lease("b").segment == grant.segment)
  }

  @Test func `a worker gets back a segment that it failed once the others are lost`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    farm.addWorker("b")
    let grant = try farm.lease("a")
    farm.handle(.attemptFailed(grant.token, decodeFailed))
    #expect(farm.want("a", wait: .seconds(100)).isEmpty)
    #expect(farm.wait(.seconds(30)).grants.map(\.worker.rawValue) == ["a"])
  }

  @Test func `a lone worker that keeps failing a segment eventually fails the job`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(failureLimit: 4))
    farm.addJob(frames: [10])
    farm.addWorker("a")
    var attempts = 0
    while attempts < 10, farm.scheduler.progress(of: job) != nil {
      let grant = try farm.lease("a")
      attempts += 1
      farm.handle(.attemptFailed(grant.token, decodeFailed))
    }
    #expect(attempts == 4)
  }

  @Test func `a segment whose leases keep expiring eventually fails its job`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(expiryLimit: 2))
    farm.addJob(frames: [10])
    farm.addWorker("a")
    _ = try farm.lease("a")
    #expect(farm.wait(.seconds(30)).jobFailures.isEmpty)
    _ = try farm.lease("a")
    #expect(farm.wait(.seconds(30)).jobFailures.map(\.code) == ["workers-lost"])
  }

  @Test
  func `a worker that fails three segments in a row is set aside, twice as long each time`()
    throws
  {
    var farm = SimulatedFarm(try SchedulerSettings(setAsideDuration: .seconds(30)))
    farm.addJob(frames: Array(repeating: 10, count: 20))
    farm.addWorker("a")
    for duration in [30, 60] {
      let grants = try (0..<3).map { _ in try farm.lease("a") }
      let last = grants.flatMap { farm.handle(.attemptFailed($0.token, decodeFailed)) }
      let until = farm.now + .seconds(duration)
      #expect(last.contains(.setAside(WorkerID(rawValue: "a"), until: until)))
      #expect(farm.want("a", wait: .seconds(100)).isEmpty)
      #expect(farm.wait(.seconds(duration - 1)).grants.isEmpty)
      let forgiven = try #require(farm.wait(.seconds(1)).grants.first)
      farm.handle(.leaseGivenBack(forgiven.token))
    }
  }

  @Test func `a worker is never set aside for longer than the longest time`() throws {
    var farm = SimulatedFarm(
      try SchedulerSettings(
        failureLimit: 1_000, setAsideDuration: .seconds(30), longestSetAside: .seconds(100)))
    farm.addJob(frames: Array(repeating: 10, count: 20))
    farm.addWorker("a")
    var lengths: [Duration] = []
    for _ in 0..<4 {
      let grants = try (0..<3).map { _ in try farm.lease("a") }
      for grant in grants {
        for case .setAside(_, let until) in farm.handle(.attemptFailed(grant.token, decodeFailed)) {
          lengths.append(until - farm.now)
        }
      }
      farm.wait(.seconds(100))
    }
    #expect(lengths == [.seconds(30), .seconds(60), .seconds(100), .seconds(100)])
  }

  @Test func `a completed segment resets the count of failures in a row`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: Array(repeating: 10, count: 20))
    farm.addWorker("a")
    farm.addWorker("other")
    for round in 0..<6 {
      let grant = try farm.lease("a")
      let event: Event =
        round % 3 == 2
        ? .chunkAccepted(grant.token) : .attemptFailed(grant.token, decodeFailed)
      #expect(!farm.handle(event).contains { if case .setAside = $0 { true } else { false } })
    }
  }

  @Test func `the first lease binds a job to a fingerprint`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a", fingerprint: "one")
    farm.addWorker("b", fingerprint: "two")
    let actions = farm.want("a")
    #expect(actions.first == .fixFingerprint(job, "one"))
    #expect(farm.want("b").isEmpty)
    #expect(try farm.lease("a").segment.index == 1)
  }

  @Test func `a fingerprint that delivered nothing no longer binds its job`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a", fingerprint: "one")
    farm.addWorker("b", fingerprint: "two")
    let grant = try farm.lease("a")
    #expect(
      farm.handle(.leaseGivenBack(grant.token)).contains(.fixFingerprint(job, nil)))
    #expect(try farm.lease("b").segment.index == 0)
  }

  @Test func `a draining worker keeps its leases and gets no more`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    farm.handle(.workerDrained(WorkerID(rawValue: "a")))
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(farm.handle(.chunkAccepted(grant.token)).ended == [.completed])
    #expect(farm.scheduler.status(of: WorkerID(rawValue: "a"), at: farm.now)?.state == .draining)
  }

  @Test func `a silent worker is lost, then forgotten`() throws {
    var farm = try SimulatedFarm()
    let worker = WorkerID(rawValue: "a")
    farm.addWorker("a")
    #expect(farm.wait(.seconds(30)) == [.loseWorker(worker)])
    #expect(farm.scheduler.status(of: worker, at: farm.now)?.state == .lost)
    #expect(farm.wait(.seconds(870)) == [.forgetWorker(worker)])
  }
}
