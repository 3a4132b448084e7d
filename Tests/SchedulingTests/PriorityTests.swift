import FarmAPI
import Scheduling
import Support
import Testing

/// A job's priority can be changed while the job is rendered.
@Suite(.mayBlock) struct PriorityTests {
  @Test func `a raised job's pending segments are leased next`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("first", order: 1, frames: [10, 10])
    farm.addJob("second", order: 2, frames: [10, 10])
    farm.addWorker("a")
    #expect(try farm.lease("a").segment.job.rawValue == "first")
    #expect(farm.handle(.jobPrioritized(JobID(rawValue: "second"), 1)) == [])
    let jobs = try (0..<3).map { _ in try farm.lease("a").segment.job.rawValue }
    #expect(jobs == ["second", "second", "first"])
  }

  @Test func `a lowered job waits for the others, and its leases stay in force`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("first", order: 1, submitter: "ann", frames: [10, 10])
    farm.addJob("second", order: 2, submitter: "bob", frames: [10, 10])
    farm.addWorker("a")
    let lease = try farm.lease("a")
    #expect(lease.segment.job.rawValue == "first")
    farm.handle(.jobPrioritized(JobID(rawValue: "first"), -1))
    #expect(farm.scheduler.leaseCount(of: "ann") == 1)
    let jobs = try (0..<3).map { _ in try farm.lease("a").segment.job.rawValue }
    #expect(jobs == ["second", "second", "first"])
    #expect(farm.handle(.chunkAccepted(lease.token)).ended == [.completed])
  }

  @Test func `a job that is bound to a fingerprint stays bound`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("first", order: 1, frames: [10, 10])
    farm.addJob("second", order: 2, frames: [10])
    farm.addWorker("a", fingerprint: "one")
    farm.addWorker("b", fingerprint: "two")
    #expect(try farm.lease("a").segment.job.rawValue == "first")
    farm.handle(.jobPrioritized(JobID(rawValue: "first"), 5))
    #expect(try farm.lease("b").segment.job.rawValue == "second")
    #expect(try farm.lease("a").segment.job.rawValue == "first")
  }

  @Test func `a worker that is reserved for a lowered job serves the others`() throws {
    var farm = SimulatedFarm(try SchedulerSettings(memoryPatience: .seconds(5)))
    farm.addJob("large", order: 1, priority: 1, frames: [10], memory: [6])
    farm.addWorker("a", memory: 8)
    farm.addJob("small", order: 2, priority: 2, frames: [10, 5, 5], memory: [4, 4, 4])
    let lease = try farm.lease("a")
    #expect(lease.segment.job.rawValue == "small")
    farm.handle(.jobPrioritized(JobID(rawValue: "small"), 0))
    // The large segment does not fit beside the lease, so the worker is kept free for it.
    #expect(try farm.lease("a").segment.job.rawValue == "small")
    #expect(farm.want("a", wait: .seconds(60)).grants.isEmpty)
    farm.handle(.heartbeat(lease.token, framesRendered: 1))
    farm.wait(.seconds(6))
    #expect(farm.scheduler.isReserved(WorkerID(rawValue: "a")))
    farm.handle(.leaseGivenBack(lease.token))
    let granted = farm.handle(.jobPrioritized(JobID(rawValue: "small"), 3)).grants
    #expect(granted.map(\.segment.job.rawValue) == ["small"])
  }

  @Test func `an unknown job is ignored`() throws {
    var farm = try SimulatedFarm()
    #expect(farm.handle(.jobPrioritized(JobID(rawValue: "none"), 1)) == [])
  }
}
