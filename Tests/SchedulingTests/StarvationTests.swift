import FarmAPI
import Scheduling
import Support
import Testing

/// Jobs that lack workers.
@Suite(.mayBlock) struct StarvationTests {
  /// A job with one chunk and one pending segment, whose only worker has gone.
  private func boundFarm() throws -> SimulatedFarm {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10, 10])
    farm.addWorker("a", fingerprint: "old")
    let grant = try farm.lease("a")
    farm.handle(.chunkAccepted(grant.token))
    return farm
  }

  @Test func `a job without workers reports that after a while`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.wait(.seconds(8))
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
    #expect(farm.wait(.seconds(31)).contains(.noteWaiting(job)))
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == "available workers (registered: none)")
    farm.addWorker("a")
    _ = try farm.lease("a")
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
  }

  @Test func `a job whose workers have left reports which workers it waits for`() throws {
    var farm = try boundFarm()
    for _ in 0..<30 { farm.wait(.seconds(5)) }
    #expect(
      farm.scheduler.waiting(of: job, at: farm.now)
        == "available workers with the library versions that rendered its chunks (registered: 1 lost)"
    )
  }

  @Test func `workers with other libraries eventually restart a job`() throws {
    var farm = try boundFarm()
    farm.addWorker("b", fingerprint: "new")
    for _ in 0..<180 {
      #expect(farm.want("b", wait: .seconds(5)).isEmpty)
      #expect(farm.wait(.seconds(5)).grants.isEmpty)
    }
    #expect(
      farm.scheduler.waiting(of: job, at: farm.now)?
        .contains("the job restarts on other workers") == true)
    var actions: [Action] = []
    for _ in 0..<180 where farm.scheduler.leaseCount == 0 {
      actions += farm.want("b", wait: .seconds(5))
      actions += farm.wait(.seconds(5))
    }
    actions = actions.filter { if case .refuse = $0 { false } else { true } }
    #expect(Array(actions.suffix(3).prefix(2)) == [.restartJob(job), .fixFingerprint(job, "new")])
    #expect(actions.grants.map(\.segment.index) == [0])
    #expect(farm.scheduler.progress(of: job)?.segments.completed == 0)
  }

  @Test func `a job that restarts is rendered from its first segment`() throws {
    var farm = try SimulatedFarm()
    let counts = [10, 20, 10, 5]
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1, fingerprint: "old",
          segments: counts.enumerated().map { index, count in
            SegmentEntry(
              frames: (100 * index)..<(100 * index + count),
              state: index < 2 ? .completed(nil) : .pending)
          })))
    farm.addWorker("b", fingerprint: "new")
    var first: Grant?
    for _ in 0..<720 where first == nil {
      let actions = farm.want("b", wait: .seconds(5))
      first = actions.grants.first ?? farm.wait(.seconds(5)).grants.first
    }
    #expect(first?.segment.index == 0)
    #expect(try farm.lease("b").segment.index == 1)
  }

  @Test func `a job continues with its chunks when its own workers come back`() throws {
    var farm = try boundFarm()
    farm.addWorker("b", fingerprint: "new")
    for _ in 0..<20 { farm.wait(.seconds(5)) }
    #expect(try farm.lease("a").segment.index == 1)
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
    #expect(farm.scheduler.progress(of: job)?.segments.completed == 1)
  }

  @Test func `a fingerprint without chunks does not bind a job after a restart`() throws {
    var farm = try SimulatedFarm()
    let entry = JobEntry(
      id: job, order: 1, fingerprint: "old", segments: [SegmentEntry(frames: 0..<10)])
    #expect(farm.handle(.jobAdded(entry)) == [.fixFingerprint(job, nil)])
    farm.addWorker("b", fingerprint: "new")
    #expect(try farm.lease("b").segment.index == 0)
  }
}
