import FarmAPI
import Scheduling
import Support
import Testing

/// The farm's load, and the order of the jobs that wait.
@Suite(.mayBlock) struct LoadTests {
  private func waiting(_ farm: SimulatedFarm) -> [String] {
    farm.scheduler.waitingJobs.map(\.rawValue)
  }

  @Test func `the load counts segments, workers and slots`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("one", order: 1, frames: [10, 10])
    farm.addJob("two", order: 2, frames: [10])
    for worker in ["a", "b", "c"] { farm.addWorker(worker) }
    farm.handle(.workerDrained(WorkerID(rawValue: "c")))
    _ = try farm.lease("a")
    let load = farm.scheduler.load
    #expect(load.pending == 2 && load.leased == 1)
    #expect(load.workers.active == 2 && load.workers.draining == 1)
    #expect(load.slots == 3 && load.slotsBusy == 1 && load.presentWorkers == 3)
    #expect(load.pools.isEmpty)
  }

  @Test func `the load counts the segments of jobs that ask for a pool`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("one", order: 1, frames: [10, 10], pool: "gpu")
    farm.addJob("two", order: 2, frames: [10, 10, 10], pool: "gpu")
    farm.addJob("three", order: 3, frames: [10], pool: "night")
    farm.addJob("four", order: 4, frames: [10])
    farm.addWorker("a", pools: "gpu")
    _ = try farm.lease("a")
    let load = farm.scheduler.load
    #expect(load.pending == 6 && load.leased == 1)
    let pools = Dictionary(uniqueKeysWithValues: load.pools.map { ($0.key.description, $0.value) })
    #expect(
      pools == ["gpu": .init(pending: 4, leased: 1), "night": .init(pending: 1, leased: 0)])
    farm.handle(.jobRemoved(JobID(rawValue: "three")))
    #expect(farm.scheduler.load.pools.count == 1)
  }

  @Test(arguments: [
    (pending: 0, leased: 0, workers: 3, slots: 12, expected: 0),
    (pending: 10, leased: 2, workers: 3, slots: 12, expected: 3),
    (pending: 11, leased: 2, workers: 3, slots: 12, expected: 4),
    (pending: 5, leased: 0, workers: 0, slots: 0, expected: 5),
    (pending: 5, leased: 0, workers: 2, slots: 3, expected: 4),
  ])
  func `enough workers are desired to keep every segment in a slot`(
    pending: Int, leased: Int, workers: Int, slots: Int, expected: Int
  ) {
    var load = FarmLoad()
    (load.pending, load.leased, load.slots) = (pending, leased, slots)
    load.workers.active = workers
    #expect(load.desiredWorkers == expected)
  }

  @Test func `waiting jobs are in the order in which they get workers`() throws {
    var farm = try SimulatedFarm()
    for order in 1...3 {
      farm.addJob("ann\(order)", order: order, submitter: "ann", frames: [10, 10])
    }
    farm.addJob("bob", order: 4, submitter: "bob", frames: [10, 10])
    farm.addJob("urgent", order: 5, priority: 1, submitter: "ann", frames: [10])
    #expect(waiting(farm) == ["urgent", "ann1", "bob", "ann2", "ann3"])
    farm.addWorker("a")
    #expect(try farm.lease("a").segment.job.rawValue == "urgent")
    // Ann has a lease, so Bob's job comes before her jobs.
    #expect(waiting(farm) == ["bob", "ann1", "ann2", "ann3"])
    #expect(try farm.lease("a").segment.job.rawValue == "bob")
    #expect(try farm.lease("a").segment.job.rawValue == "ann1")
    #expect(waiting(farm) == ["ann2", "ann3"])
    farm.handle(.jobPrioritized(JobID(rawValue: "ann3"), 2))
    #expect(waiting(farm) == ["ann3", "ann2"])
  }

  @Test func `a job that was leased before a restart does not wait`() throws {
    var farm = try SimulatedFarm()
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1,
          segments: [SegmentEntry(frames: 0..<10, attempts: 1), SegmentEntry(frames: 10..<20)])))
    #expect(waiting(farm) == [])
  }

  @Test func `a worker's attempts are listed by job and segment`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("b", order: 1, frames: [10, 20])
    farm.addJob("a", order: 2, frames: [10])
    farm.addWorker("w")
    for _ in 0..<3 { _ = try farm.lease("w") }
    let segments = farm.scheduler.runningAttempts(of: WorkerID(rawValue: "w")).map(\.grant.segment)
    #expect(segments.map(\.job.rawValue) == ["a", "b", "b"])
    #expect(segments.map(\.index) == [0, 0, 1])
    #expect(farm.scheduler.runningAttempts(of: WorkerID(rawValue: "x")).isEmpty)
  }
}
