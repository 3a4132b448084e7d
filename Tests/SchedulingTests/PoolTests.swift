import FarmAPI
import Scheduling
import Support
import Testing

@Suite(.mayBlock) struct PoolTests {
  @Test func `only workers of its pool serve a job`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    farm.addWorker("b", pools: "gpu", "night")
    farm.addJob("job", frames: [10, 10], pool: "gpu")
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(try farm.lease("b").segment.job.rawValue == "job")
    // A worker of a pool also serves the other jobs.
    farm.addJob("other", order: 2, priority: 1, frames: [10])
    #expect(try farm.lease("b").segment.job.rawValue == "other")
    #expect(try farm.lease("b").segment.job.rawValue == "job")
  }

  @Test func `a job that waits for its pool does not hold up others`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    farm.addJob("first", order: 1, priority: 5, frames: [10], pool: "gpu")
    farm.addJob("second", order: 2, frames: [10])
    #expect(try farm.lease("a").segment.job.rawValue == "second")
  }

  @Test func `a job without a worker of its pool says so at once`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    farm.addJob("job", frames: [10], pool: "gpu")
    let job = JobID(rawValue: "job")
    #expect(
      farm.scheduler.waiting(of: job, at: farm.now) == "a worker of the pool gpu (registered: none)"
    )
    farm.addWorker("b", pools: "gpu")
    #expect(farm.scheduler.waiting(of: job, at: farm.now) == nil)
    farm.handle(.workerDrained(WorkerID(rawValue: "b")))
    #expect(
      farm.scheduler.waiting(of: job, at: farm.now)
        == "a worker of the pool gpu (registered: 1 draining)")
  }

  @Test func `a failed segment returns to the only worker of its pool`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    farm.addWorker("b", pools: "gpu")
    farm.addJob("job", frames: [10], pool: "gpu")
    let lease = try farm.lease("b")
    let report = FailureReport(code: "broken", message: "no", isPermanent: false)
    farm.handle(.attemptFailed(lease.token, report))
    #expect(try farm.lease("b").segment == lease.segment)
  }

  @Test func `a segment too large for its pool is not too large for the farm only`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a", memory: 1 << 40)
    farm.addWorker("b", memory: 1 << 20, pools: "gpu")
    farm.addJob("job", frames: [10], memory: [1 << 30], pool: "gpu")
    let waiting = farm.scheduler.waiting(of: JobID(rawValue: "job"), at: farm.now)
    #expect(waiting?.contains("a worker with more memory") == true)
  }

  @Test func `a worker's priority counts among the workers of several pools`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a", pools: "gpu", priority: 1)
    farm.addWorker("b")
    farm.addWorker("c", pools: "gpu", "night", priority: 2)
    for worker in ["a", "b", "c"] { #expect(farm.want(worker).grants.isEmpty) }
    func leasing() -> [String] {
      farm.scheduler.workerStatuses(at: farm.now).filter { $0.leases == 1 }.map(\.id)
    }
    farm.addJob("first", order: 1, frames: [10])
    #expect(leasing() == ["c"])
    farm.addJob("second", order: 2, frames: [10], pool: "night")
    #expect(leasing() == ["c"])
    farm.addJob("third", order: 3, frames: [10], pool: "gpu")
    #expect(leasing() == ["a", "c"])
    farm.addJob("fourth", order: 4, frames: [10])
    #expect(leasing() == ["a", "b", "c"])
  }

  @Test func `the jobs of a submitter are leased in order, whatever their pools are`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a", pools: "gpu", "night")
    let pools = ["gpu", nil, "night", "gpu", nil]
    for (order, pool) in pools.enumerated() {
      farm.addJob("job\(order)", order: order, submitter: "ada", frames: [10], pool: pool)
    }
    for order in pools.indices {
      #expect(try farm.lease("a").segment.job.rawValue == "job\(order)")
    }
  }

  @Test func `a job keeps its pool when its priority changes`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a")
    farm.addWorker("b", pools: "gpu")
    farm.addJob("job", frames: [10], pool: "gpu")
    farm.handle(.jobPrioritized(JobID(rawValue: "job"), 5))
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(try farm.lease("b").segment.job.rawValue == "job")
  }

  @Test func `of the waiting workers, one with the highest priority gets the lease`() throws {
    var farm = try SimulatedFarm()
    farm.addWorker("a", priority: -1)
    farm.addWorker("b")
    farm.addWorker("c", priority: 2)
    farm.addWorker("d", priority: 2)
    for worker in ["a", "b", "c", "d"] { #expect(farm.want(worker).grants.isEmpty) }
    farm.addJob("job", frames: [10])
    var served: [String] = []
    for order in 2..<5 {
      served += farm.scheduler.workerStatuses(at: farm.now).filter { $0.leases == 1 }.map(\.id)
        .filter { !served.contains($0) }
      farm.addJob("job\(order)", order: order, frames: [10])
    }
    served += farm.scheduler.workerStatuses(at: farm.now).filter { $0.leases == 1 }.map(\.id)
      .filter { !served.contains($0) }
    #expect(served == ["c", "d", "b", "a"])
  }
}
