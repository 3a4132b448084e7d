import FarmAPI
import Scheduling
import Support
import Testing

/// Memory: a worker's leases fit in it together, and neither large nor small segments starve.
@Suite(.mayBlock) struct MemoryTests {
  private static let gibibyte = 1 << 30

  private func farm(
    memory: Int? = 3 * gibibyte, _ settings: SchedulerSettings? = nil
  ) throws -> SimulatedFarm {
    var farm = SimulatedFarm(try settings ?? SchedulerSettings())
    farm.addWorker("a", memory: memory)
    return farm
  }

  @Test func `a worker takes three small segments or a large one, but never more`() throws {
    var farm = try farm()
    farm.addJob(
      frames: [40, 30, 20, 10],
      memory: [Self.gibibyte, Self.gibibyte, Self.gibibyte, 3 * Self.gibibyte])
    let small = try (0..<3).map { _ in try farm.lease("a") }
    #expect(small.map(\.segment.index) == [0, 1, 2])
    #expect(farm.want("a", wait: .zero).grants == [])
    for grant in small { farm.handle(.chunkAccepted(grant.token)) }
    #expect(try farm.lease("a").segment.index == 3)
    farm.addJob("later", order: 2, frames: [10], memory: [Self.gibibyte])
    #expect(farm.want("a", wait: .zero).grants == [])
  }

  @Test func `a segment that does not fit is passed over for one that does`() throws {
    var farm = try farm()
    farm.addJob(
      frames: [40, 30, 20], memory: [2 * Self.gibibyte, 2 * Self.gibibyte, Self.gibibyte])
    #expect(try farm.lease("a").segment.index == 0)
    #expect(try farm.lease("a").segment.index == 2)
  }

  @Test func `a request that waits is granted when a lease ends and its memory is free`() throws {
    var farm = try farm()
    farm.addJob(frames: [20, 10], memory: [3 * Self.gibibyte, 2 * Self.gibibyte])
    let first = try farm.lease("a")
    #expect(farm.want("a").isEmpty)
    #expect(farm.handle(.leaseGivenBack(first.token)).grants.map(\.segment.index) == [0])
  }

  @Test func `a request that waits is granted a smaller segment that arrives later`() throws {
    var farm = try farm()
    farm.addJob(frames: [20, 10], memory: [2 * Self.gibibyte, 2 * Self.gibibyte])
    _ = try farm.lease("a")
    #expect(farm.want("a").isEmpty)
    let actions = farm.handle(
      .jobAdded(
        JobEntry(
          id: JobID(rawValue: "small"), order: 2,
          segments: [SegmentEntry(frames: 0..<10, memory: Self.gibibyte)])))
    #expect(actions.grants.map(\.segment.job.rawValue) == ["small"])
  }

  @Test func `requests of one worker are considered together`() throws {
    var farm = try farm()
    for _ in 0..<3 { #expect(farm.want("a").isEmpty) }
    let actions = farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1,
          segments: (0..<3).map {
            SegmentEntry(frames: $0 * 10..<$0 * 10 + 10, memory: 2 * Self.gibibyte)
          })))
    #expect(actions.grants.count == 1)
  }

  @Test func `leases from before a restart count`() throws {
    var farm = try farm()
    let holder = SegmentEntry.Holder(
      token: LeaseToken(rawValue: "old"), worker: WorkerID(rawValue: "a"), attempt: 1)
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1,
          segments: [
            SegmentEntry(
              frames: 0..<10, memory: 2 * Self.gibibyte, state: .leased([holder]), attempts: 1),
            SegmentEntry(frames: 10..<20, memory: 2 * Self.gibibyte),
          ])))
    #expect(farm.want("a", wait: .zero).grants == [])
    farm.handle(.chunkAccepted(holder.token))
    #expect(try farm.lease("a").segment.index == 1)
  }

  @Test func `a worker that states no memory takes segments of any size`() throws {
    var farm = try farm(memory: nil)
    farm.addJob(frames: [10, 10], memory: [1 << 50, 1 << 50])
    _ = try farm.lease("a")
    _ = try farm.lease("a")
  }

  @Test func `a copy goes only to a worker with enough memory for it`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a", memory: 3 * Self.gibibyte)
    farm.addWorker("small", memory: Self.gibibyte)
    farm.addWorker("large", memory: 3 * Self.gibibyte)
    farm.addJob(frames: [100, 10], memory: [2 * Self.gibibyte, Self.gibibyte])
    let slow = try farm.lease("a")
    #expect(slow.segment.index == 0)
    let quick = try farm.lease("small")
    farm.work(quick, for: .seconds(2))
    farm.handle(.chunkAccepted(quick.token))
    for _ in 0..<60 {
      farm.now = farm.now + .seconds(1)
      farm.handle(.heartbeat(slow.token, framesRendered: 1))
    }
    #expect(farm.want("small", wait: .zero).grants == [])
    #expect(farm.want("large", wait: .zero).grants.map(\.isCopy) == [true])
  }

  @Test func `a segment goes back to a worker that failed it if the others have too little memory`()
    throws
  {
    var farm = try farm()
    farm.addWorker("small", memory: Self.gibibyte)
    farm.addJob(frames: [10], memory: [2 * Self.gibibyte])
    let failed = try farm.lease("a")
    farm.handle(.attemptFailed(failed.token, decodeFailed))
    #expect(try farm.lease("a").segment.index == 0)
  }

  /// Plays a worker with three slots for some minutes, on a farm with a small and a large job. Each segment takes ten
  /// seconds, and the first three leases begin at different times, so that the worker is never empty by itself.
  ///
  /// - Returns: the jobs of the granted leases, in order.
  private func play(_ farm: inout SimulatedFarm, seconds: Int) -> [String] {
    var running: [(grant: Grant, end: Int)] = []
    var jobs: [String] = []
    for second in 0..<seconds {
      farm.wait(.seconds(1))
      let ended = running.filter { $0.end <= second }
      running.removeAll { $0.end <= second }
      for (grant, _) in ended { farm.handle(.chunkAccepted(grant.token)) }
      guard running.count < 3, let grant = farm.want("a", wait: .zero).grants.first else {
        continue
      }
      running.append((grant, second + (jobs.count < 3 ? 6 + 3 * jobs.count : 10)))
      jobs.append(grant.segment.job.rawValue)
      let used = running.reduce(0) { $0 + (farm.scheduler.memory(of: $1.grant.segment) ?? 0) }
      #expect(used <= 3 * Self.gibibyte)
    }
    return jobs
  }

  @Test(arguments: [(1, 2), (2, 1)])
  func `neither small nor large segments starve on a host with room for three or one`(
    small: Int, large: Int
  ) throws {
    var farm = try farm()
    farm.addJob(
      "small", order: small, submitter: "ann", frames: Array(repeating: 10, count: 500),
      memory: Array(repeating: Self.gibibyte, count: 500))
    farm.addJob(
      "large", order: large, submitter: "bob", frames: Array(repeating: 10, count: 500),
      memory: Array(repeating: 3 * Self.gibibyte, count: 500))
    let jobs = play(&farm, seconds: 600)
    // A large segment is overtaken for half a minute, and waits at most ten seconds more for the worker to be empty.
    #expect(jobs.count { $0 == "large" } >= 8)
    #expect(jobs.count { $0 == "small" } >= 8)
    let half = jobs.dropFirst(jobs.count / 2)
    #expect(half.contains("large") && half.contains("small"))
  }

  @Test func `one worker at a time is reserved: the one with the most free memory`() throws {
    var farm = try SimulatedFarm()
    for (worker, memory) in [("a", 4), ("b", 5), ("tiny", 2)] {
      farm.addWorker(worker, memory: memory * Self.gibibyte)
    }
    farm.addJob(
      frames: [10, 10, 10, 10], memory: Array(repeating: Self.gibibyte, count: 4))
    let running = try ["a", "a", "b", "b"].map { try farm.lease($0) }
    farm.addJob("large", order: 2, frames: [10], memory: [4 * Self.gibibyte])
    #expect(farm.want("a", wait: .zero).grants == [])
    var actions: [Action] = []
    for _ in 0..<9 {
      actions += farm.wait(.seconds(10))
      for grant in running { farm.handle(.heartbeat(grant.token, framesRendered: 1)) }
    }
    let reserved = actions.filter { if case .reserve = $0 { true } else { false } }
    #expect(reserved == [.reserve(WorkerID(rawValue: "b"), for: JobID(rawValue: "large"))])
  }

  @Test func `a reserved worker takes nothing but segments of a higher priority meanwhile`() throws
  {
    var farm = try farm()
    farm.addJob(
      "large", order: 1, frames: [10, 10], memory: [2 * Self.gibibyte, 2 * Self.gibibyte])
    let first = try farm.lease("a")
    farm.addJob("small", order: 2, frames: [10, 10], memory: [Self.gibibyte, Self.gibibyte])
    let second = try farm.lease("a")
    #expect(second.segment.job.rawValue == "small")
    var actions: [Action] = []
    for _ in 0..<5 {
      #expect(farm.want("a", wait: .zero).grants == [])
      actions += farm.wait(.seconds(10))
      for grant in [first, second] { farm.handle(.heartbeat(grant.token, framesRendered: 1)) }
    }
    #expect(actions.contains(.reserve(WorkerID(rawValue: "a"), for: JobID(rawValue: "large"))))
    farm.handle(.chunkAccepted(second.token))
    #expect(farm.want("a", wait: .zero).grants == [])
    farm.addJob("urgent", order: 3, priority: 1, frames: [10], memory: [Self.gibibyte])
    #expect(try farm.lease("a").segment.job.rawValue == "urgent")
    farm.handle(.chunkAccepted(first.token))
    #expect(try farm.lease("a").segment.job.rawValue == "large")
  }

  @Test func `a reservation ends with its job`() throws {
    var farm = try farm()
    farm.addJob(
      "large", order: 1, frames: [10, 10], memory: [2 * Self.gibibyte, 2 * Self.gibibyte])
    let first = try farm.lease("a")
    for _ in 0..<5 {
      #expect(farm.want("a", wait: .zero).grants == [])
      farm.wait(.seconds(10))
      farm.handle(.heartbeat(first.token, framesRendered: 1))
    }
    farm.addJob("small", order: 2, frames: [10], memory: [Self.gibibyte])
    #expect(farm.want("a", wait: .seconds(60)).isEmpty)
    let actions = farm.handle(.jobRemoved(JobID(rawValue: "large")))
    #expect(actions.grants.map(\.segment.job.rawValue) == ["small"])
  }

  @Test func `a worker that could never hold a segment does not count as overtaking it`() throws {
    var farm = try farm(memory: Self.gibibyte)
    farm.addWorker("large", memory: 8 * Self.gibibyte)
    farm.addJob(
      "old", order: 1, frames: [90, 80, 70], memory: [8, 8, 8].map { $0 * Self.gibibyte })
    let first = try farm.lease("large")
    farm.addJob("young", order: 2, frames: [10], memory: [6 * Self.gibibyte])
    var actions: [Action] = []
    for _ in 0..<5 {
      actions += farm.want("a", wait: .zero) + farm.wait(.seconds(10))
      farm.handle(.heartbeat(first.token, framesRendered: 1))
    }
    let reserved = actions.filter { if case .reserve = $0 { true } else { false } }
    #expect(reserved.isEmpty)
  }

  @Test func `a job is not bound to libraries whose workers are too small for it`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("small", fingerprint: "old", memory: 2 * Self.gibibyte)
    farm.addWorker("large", fingerprint: "new", memory: 8 * Self.gibibyte)
    farm.addJob(frames: [20, 10], memory: [Self.gibibyte, 6 * Self.gibibyte])
    #expect(farm.want("small", wait: .zero).grants.isEmpty)
    #expect(try farm.lease("large").segment.index == 0)
  }

  @Test func `a job reports at once that a segment is too large for every worker`() throws {
    var farm = try farm()
    let entry = JobEntry(
      id: job, order: 1,
      segments: [
        SegmentEntry(frames: 0..<10, memory: Self.gibibyte),
        SegmentEntry(frames: 10..<20, memory: 6 * Self.gibibyte),
      ])
    #expect(farm.handle(.jobAdded(entry)).contains(.noteTooLarge(job)))
    #expect(
      farm.scheduler.waiting(of: job, at: farm.now)
        == "a worker with more memory: segment 1 needs 6.0 GiB, but the largest worker has 3.0 "
        + "GiB: start a worker with a larger --memory")
    #expect(try farm.lease("a").segment.index == 0)
    #expect(farm.addWorker("b", memory: 8 * Self.gibibyte).contains(.noteWaiting(job)))
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
    #expect(try farm.lease("b").segment.index == 1)
  }

  @Test func `a job whose first worker has too little memory reports that when it registers`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10], memory: [2 * Self.gibibyte])
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
    #expect(farm.addWorker("a", memory: Self.gibibyte) == [.noteTooLarge(job)])
    #expect(farm.scheduler.waiting(of: job, at: farm.now) != nil)
  }

  @Test(arguments: [
    (0, 0), (1000, 1024), (Self.gibibyte, Self.gibibyte),
    (Self.gibibyte + 1, Self.gibibyte + Self.gibibyte / 16), (.max, 1 << 50),
  ])
  func `the memory of a segment is rounded up by at most a sixteenth`(
    bytes: Int, rounded: Int
  ) throws {
    var farm = try farm()
    farm.addJob(frames: [10], memory: [bytes])
    #expect(farm.scheduler.memory(of: SegmentID(job: job, index: 0)) == rounded)
  }

  @Test func `a worker's status shows the memory in use`() throws {
    var farm = try farm()
    farm.addJob(frames: [10], memory: [Self.gibibyte])
    _ = try farm.lease("a")
    let status = try #require(farm.scheduler.workerStatuses(at: farm.now).first)
    #expect(status.memory == 3 * Self.gibibyte)
    #expect(status.memoryInUse == Self.gibibyte)
  }
}
