import FarmAPI
import Scheduling
import Support
import Testing

/// Speculative copies of the last slow segments.
@Suite(.mayBlock) struct CopyTests {
  /// A job of two equal segments. One took ten seconds, and the other is at a tenth after twenty-five.
  private func slowFarm(_ settings: SchedulerSettings? = nil) throws -> (SimulatedFarm, Grant) {
    var farm = SimulatedFarm(try settings ?? SchedulerSettings())
    farm.addJob(frames: [100, 100])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let slow = try farm.lease("a")
    let quick = try farm.lease("b")
    farm.work(quick, for: .seconds(10))
    farm.handle(.chunkAccepted(quick.token))
    #expect(farm.want("b", wait: .zero).grants.isEmpty, "it has not taken long yet")
    farm.work(slow, for: .seconds(15), frames: 10)
    return (farm, slow)
  }

  @Test func `a slow segment at the job's end is given to a second worker`() throws {
    var (farm, slow) = try slowFarm()
    let copy = try farm.lease("b")
    #expect(copy.segment == slow.segment)
    #expect(copy.isCopy)
    #expect(copy.attempt == 2)
    #expect(farm.scheduler.progress(of: job)?.segments.leased == 1)
  }

  @Test func `a waiting worker gets a copy once the segment is slow`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100, 100])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let slow = try farm.lease("a")
    let quick = try farm.lease("b")
    farm.work(quick, for: .seconds(10))
    farm.handle(.chunkAccepted(quick.token))
    #expect(farm.want("b", wait: .seconds(60)).grants.isEmpty)
    farm.handle(.heartbeat(slow.token, framesRendered: 10))
    let copies = (0..<12).flatMap { _ in farm.wait(.seconds(1)) }.grants
    #expect(copies.map(\.segment) == [slow.segment])
  }

  @Test func `the first chunk wins and the other worker is told to stop`() throws {
    var (farm, slow) = try slowFarm()
    let copy = try farm.lease("b")
    let actions = farm.handle(.chunkAccepted(copy.token))
    #expect(actions.ended == [.completed, .superseded])
    #expect(actions.contains(.finishRendering(job)))
    #expect(
      farm.handle(.heartbeat(slow.token, framesRendered: 11))
        == [.answerHeartbeat(slow.token, stop: true)])
    #expect(farm.handle(.chunkAccepted(slow.token)) == [.rejectStale(slow.token)])
    #expect(farm.scheduler.progress(of: job)?.framesRendered == 200)
  }

  @Test func `a segment has at most one copy`() throws {
    var (farm, _) = try slowFarm()
    _ = try farm.lease("b")
    farm.addWorker("c")
    #expect(farm.want("c", wait: .seconds(20)).isEmpty)
    #expect(farm.wait(.seconds(20)).grants.isEmpty)
  }

  @Test func `a copy that fails leaves the segment to the first worker`() throws {
    var (farm, slow) = try slowFarm()
    let copy = try farm.lease("b")
    #expect(farm.handle(.attemptFailed(copy.token, decodeFailed)).ended == [.failed(decodeFailed)])
    #expect(farm.scheduler.progress(of: job)?.segments.leased == 1)
    #expect(farm.want("b", wait: .zero).grants.isEmpty, "it has failed the segment")
    #expect(farm.handle(.chunkAccepted(slow.token)).ended == [.completed])
  }

  @Test func `a first worker that gives up leaves the segment to the copy`() throws {
    var (farm, slow) = try slowFarm()
    let copy = try farm.lease("b")
    farm.handle(.leaseGivenBack(slow.token))
    #expect(farm.scheduler.progress(of: job)?.segments.pending == 0)
    #expect(farm.handle(.chunkAccepted(copy.token)).ended == [.completed])
  }

  @Test func `nothing is copied while segments are pending`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100, 100, 50])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let slow = try farm.lease("a")
    let quick = try farm.lease("b")
    farm.work(quick, for: .seconds(10))
    farm.handle(.chunkAccepted(quick.token))
    farm.work(slow, for: .seconds(20), frames: 10)
    #expect(try farm.lease("b").segment.index == 2)
  }

  @Test func `a slow segment that is nearly done is not copied`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [100, 100])
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let slow = try farm.lease("a")
    let quick = try farm.lease("b")
    farm.work(quick, for: .seconds(10))
    farm.handle(.chunkAccepted(quick.token))
    farm.work(slow, for: .seconds(25), frames: 95)
    #expect(farm.want("b", wait: .zero).grants.isEmpty)
  }

  @Test func `copies can be turned off`() throws {
    var (farm, _) = try slowFarm(SchedulerSettings(allowsCopies: false))
    #expect(farm.want("b", wait: .zero).grants.isEmpty)
  }

  @Test func `a worker gets no copy of its own segment`() throws {
    var (farm, slow) = try slowFarm()
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(farm.handle(.chunkAccepted(slow.token)).contains(.finishRendering(job)))
  }

  @Test func `two leases of one segment stay in force after a restart`() throws {
    var farm = try SimulatedFarm()
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let holders = ["a", "b"].enumerated().map { number, worker in
      SegmentEntry.Holder(
        token: LeaseToken(rawValue: "old-\(worker)"), worker: WorkerID(rawValue: worker),
        attempt: number + 1)
    }
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1, fingerprint: "x264",
          segments: [SegmentEntry(frames: 0..<10, state: .leased(holders), attempts: 2)])))
    #expect(farm.scheduler.progress(of: job)?.segments.leased == 1)
    #expect(farm.handle(.chunkAccepted(holders[1].token)).ended == [.completed, .superseded])
  }
}
