import FarmAPI
import Scheduling
import Support
import Testing

@Suite(.mayBlock) struct LeaseTests {
  @Test
  func
    `after the first segment, the longest are leased first, and equally long ones in timeline order`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 20, 30, 30])
    farm.addWorker("a")
    let order = try (0..<4).map { _ in try farm.lease("a").segment.index }
    #expect(order == [0, 2, 3, 1])
  }

  @Test func `the segment that the file waits for is leased before longer ones`() throws {
    var farm = try SimulatedFarm()
    let segments = [(10, true), (20, true), (10, false), (20, true), (40, false), (30, false)]
    var first = 0
    farm.handle(
      .jobAdded(
        JobEntry(
          id: JobID(rawValue: "edited"), order: 1,
          segments: segments.map { count, isReused in
            defer { first += count }
            return SegmentEntry(
              frames: first..<(first + count), state: isReused ? .completed(nil) : .pending)
          })))
    farm.addWorker("a")
    let order = try (0..<3).map { _ in try farm.lease("a").segment.index }
    #expect(order == [2, 4, 5])
  }

  /// Has a worker deliver one segment after another in so many seconds each. Returns their order.
  private static func deliver(in durations: [Int], to farm: inout SimulatedFarm) throws -> [Int] {
    try durations.map { duration in
      let grant = try farm.lease("a")
      farm.work(grant, for: .seconds(duration))
      farm.handle(.chunkAccepted(grant.token))
      return grant.segment.index
    }
  }

  @Test func `segments near a slow one are leased before longer ones`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 20, 20, 20, 30, 30, 30])
    farm.addWorker("a")
    let order = try Self.deliver(in: [100, 1, 50, 50, 50, 1, 1], to: &farm)
    // The fifth segment, which is quick, shows that those near the slow first one will take longer than the last ones.
    #expect(order == [0, 4, 1, 2, 3, 5, 6])
  }

  @Test func `segments that take about as long are leased in timeline order`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 21, 22, 23, 30])
    farm.addWorker("a")
    let order = try Self.deliver(in: [10, 30, 21, 22], to: &farm)
    #expect(order == [0, 4, 1, 2])
  }

  @Test func `the pace of neighbors counts only once few segments are pending`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 20, 20] + Array(repeating: 21, count: 297))
    farm.addWorker("a")
    let order = try Self.deliver(in: [100, 1, 1], to: &farm)
    #expect(order == [0, 3, 4])
  }

  @Test func `only the pace of segments that need as much memory counts`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 20, 30, 30], memory: [1, 2, 1, 2])
    farm.addWorker("a", memory: 2)
    let order = try Self.deliver(in: [100, 1, 1], to: &farm)
    // The second segment is next to the slow first one, but needs more memory.
    #expect(order == [0, 2, 3])
  }

  @Test func `the segments of a job that is rendered in order are leased in timeline order`() throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 20, 40, 30, 50], isInOrder: true)
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let first = try farm.lease("a")
    _ = try farm.lease("a")
    farm.handle(.leaseGivenBack(first.token))
    let order = try (0..<4).map { _ in try farm.lease("b").segment.index }
    #expect(order == [0, 2, 3, 4])
  }

  @Test func `a suspected segment is leased before longer ones, even after a failed attempt`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 30, 30, 20])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    farm.handle(.segmentSuspected(SegmentID(job: job, index: 3)))
    farm.handle(.segmentSuspected(SegmentID(job: job, index: 4)))
    let first = try farm.lease("a")
    #expect(first.segment.index == 3)
    #expect(try farm.lease("a").segment.index == 0)
    farm.handle(
      .attemptFailed(
        first.token, FailureReport(code: "frame-damaged", message: "", isPermanent: false)))
    let order = try (0..<3).map { _ in try farm.lease("b").segment.index }
    #expect(order == [3, 1, 2])
  }

  @Test func `a leased segment that is suspected is leased again first`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [30, 30, 10])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let leases = try (0..<3).map { _ in try farm.lease("a") }
    farm.handle(.segmentSuspected(SegmentID(job: job, index: 2)))
    for lease in leases { farm.handle(.leaseGivenBack(lease.token)) }
    #expect(try farm.lease("b").segment.index == 2)
  }

  @Test func `an earlier job is served before a later one with longer segments`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("late", order: 2, frames: [100])
    farm.addJob("early", order: 1, frames: [5])
    farm.addWorker("a")
    #expect(try farm.lease("a").segment.job.rawValue == "early")
    #expect(try farm.lease("a").segment.job.rawValue == "late")
  }

  @Test func `waiting workers are served in the order in which they arrived`() throws {
    var farm = try SimulatedFarm()
    for worker in ["a", "b", "c"] { farm.addWorker(worker) }
    for worker in ["b", "c", "a"] { #expect(farm.want(worker).isEmpty) }
    let actions = farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1,
          segments: [SegmentEntry(frames: 0..<9), SegmentEntry(frames: 9..<12)])))
    #expect(actions.grants.map(\.worker.rawValue) == ["b", "c"])
  }

  @Test func `a wait ends without a lease when its time is up`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    _ = farm.want("a", wait: .seconds(5))
    #expect(farm.wait(.seconds(4)).isEmpty)
    #expect(farm.wait(.seconds(1)) == [.refuse(RequestID(rawValue: 1), .nothingToDo)])
  }

  @Test func `a cancelled request is not granted`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    _ = farm.want("a")
    farm.handle(.leaseUnwanted(RequestID(rawValue: 1)))
    farm.addJob(frames: [10])
    #expect(farm.scheduler.leaseCount == 0)
  }

  @Test func `waits that end without a lease leave nothing behind`() throws {
    var farm = try SimulatedFarm()
    for worker in ["a", "b"] { farm.addWorker(worker) }
    for _ in 0..<500 {
      for worker in ["a", "b"] { _ = farm.want(worker, wait: .seconds(5)) }
      farm.wait(.seconds(5))
    }
    #expect(farm.scheduler.queuedPlaces <= 100)
    _ = farm.want("b")
    _ = farm.want("a")
    let entries = [SegmentEntry(frames: 0..<9), SegmentEntry(frames: 9..<12)]
    let actions = farm.handle(.jobAdded(JobEntry(id: job, order: 1, segments: entries)))
    #expect(actions.grants.map(\.worker.rawValue) == ["b", "a"])
  }

  @Test func `a stored chunk counts even if its lease has expired by then`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    farm.now = farm.now + .seconds(31)
    let actions = farm.handle(.chunkAccepted(grant.token))
    #expect(actions.contains(.finishRendering(job)))
    #expect(!actions.contains(.endAttempt(grant, .expired)))
  }

  @Test func `an unknown worker is told to register`() throws {
    var farm = try SimulatedFarm()
    #expect(farm.want("stranger") == [.refuse(RequestID(rawValue: 1), .unknownWorker)])
  }

  @Test func `heartbeats keep a lease and report progress`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    for frames in [20, 40, 60] {
      farm.now = farm.now + .seconds(25)
      #expect(
        farm.handle(.heartbeat(grant.token, framesRendered: frames))
          == [.answerHeartbeat(grant.token, stop: false)])
    }
    #expect(farm.scheduler.progress(of: job)?.framesRendered == 60)
  }

  @Test func `a worker's status states the seconds since it was last heard from`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    func silence(_ farm: SimulatedFarm) -> Double? {
      farm.scheduler.status(of: WorkerID(rawValue: "a"), at: farm.now)?.secondsSinceSeen
    }
    farm.now = farm.now + .seconds(9)
    #expect(silence(farm) == 9)
    let grant = try farm.lease("a")
    #expect(silence(farm) == 0)
    farm.now = farm.now + .seconds(20)
    #expect(silence(farm) == 20)
    farm.handle(.heartbeat(grant.token, framesRendered: 50))
    farm.now = farm.now + .milliseconds(2500)
    #expect(silence(farm) == 2.5)
  }

  @Test func `a lease without heartbeats expires and its segment goes to the next worker`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let stale = try farm.lease("a")
    farm.now = farm.now + .seconds(15)
    farm.addWorker("b")
    _ = farm.want("b")
    let actions = farm.wait(.seconds(15))
    #expect(actions.ended == [.expired])
    #expect(actions.grants.map(\.worker.rawValue) == ["b"])
    #expect(actions.grants.map(\.attempt) == [2])
    #expect(farm.handle(.chunkAccepted(stale.token)) == [.rejectStale(stale.token)])
  }

  @Test func `leases do not expire while the coordinator does not run`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    farm.now = farm.now + .seconds(600)
    #expect(farm.handle(.stalled(.seconds(595))).isEmpty)
    farm.now = farm.now + .seconds(20)
    #expect(
      farm.handle(.heartbeat(grant.token, framesRendered: 1))
        == [.answerHeartbeat(grant.token, stop: false)])
    #expect(farm.wait(.seconds(31)).ended == [.expired])
  }

  @Test func `a segment that is given back is leased again as another attempt`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(farm.handle(.leaseGivenBack(grant.token)).ended == [.givenBack])
    #expect(try farm.lease("a").attempt == 2)
  }

  @Test func `the last accepted chunk finishes the job's rendering`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a")
    let first = try farm.lease("a")
    let second = try farm.lease("a")
    #expect(!farm.handle(.chunkAccepted(first.token)).contains(.finishRendering(job)))
    #expect(farm.handle(.chunkAccepted(second.token)).contains(.finishRendering(job)))
    #expect(farm.scheduler.progress(of: job)?.framesRendered == 20)
  }

  @Test func `the workers of a cancelled job are told to stop, then their leases are stale`()
    throws
  {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a")
    let grant = try farm.lease("a")
    #expect(farm.handle(.jobRemoved(job)).ended == [.revoked])
    let beat = Event.heartbeat(grant.token, framesRendered: 1)
    #expect(farm.handle(beat) == [.answerHeartbeat(grant.token, stop: true)])
    #expect(farm.handle(.chunkAccepted(grant.token)) == [.rejectStale(grant.token)])
    farm.wait(.seconds(30))
    #expect(farm.handle(beat) == [.rejectStale(grant.token)])
  }

  @Test func `a lease from before a restart is kept for the grace period`() throws {
    var farm = SimulatedFarm(
      try SchedulerSettings(leaseDuration: .seconds(10), gracePeriod: .seconds(60)))
    let token = LeaseToken(rawValue: "old")
    farm.addWorker("a")
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1, fingerprint: "x264",
          segments: [
            SegmentEntry(
              frames: 0..<10,
              state: .leased([.init(token: token, worker: WorkerID(rawValue: "a"), attempt: 1)]),
              attempts: 1),
            SegmentEntry(frames: 10..<20, state: .completed(nil), attempts: 1),
          ])))
    #expect(farm.wait(.seconds(59)).ended.isEmpty)
    #expect(farm.handle(.chunkAccepted(token)).contains(.finishRendering(job)))
  }

  @Test func `a job that is complete after a restart finishes at once`() throws {
    var farm = try SimulatedFarm()
    let entry = JobEntry(
      id: job, order: 1, segments: [SegmentEntry(frames: 0..<10, state: .completed(nil))])
    #expect(farm.handle(.jobAdded(entry)) == [.finishRendering(job)])
  }
}
