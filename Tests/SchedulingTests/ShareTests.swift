import FarmAPI
import Scheduling
import Support
import Testing

/// The order of jobs: priority, then fair share, then age.
@Suite(.mayBlock) struct ShareTests {
  @Test func `a job of a higher priority is served before older ones`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("old", order: 1, frames: [10, 10])
    farm.addJob("urgent", order: 2, priority: 1, frames: [10])
    farm.addJob("idle", order: 0, priority: -1, frames: [10])
    farm.addWorker("a")
    let jobs = try (0..<4).map { _ in try farm.lease("a").segment.job.rawValue }
    #expect(jobs == ["urgent", "old", "old", "idle"])
  }

  @Test func `submitters share the workers, however many jobs each has`() throws {
    var farm = try SimulatedFarm()
    for order in 1...3 {
      farm.addJob("ann\(order)", order: order, submitter: "ann", frames: [10, 10])
    }
    farm.addJob("bob", order: 4, submitter: "bob", frames: [10, 10, 10])
    farm.addWorker("a")
    let jobs = try (0..<6).map { _ in try farm.lease("a").segment.job.rawValue }
    #expect(jobs == ["ann1", "bob", "ann1", "bob", "ann2", "bob"])
    #expect(farm.scheduler.leaseCount(of: "ann") == 3)
  }

  @Test func `shares count current leases, not past ones`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("ann", order: 1, submitter: "ann", frames: [10, 10, 10])
    farm.addJob("bob", order: 2, submitter: "bob", frames: [10, 10, 10])
    farm.addWorker("a")
    let first = try farm.lease("a")
    #expect(try farm.lease("a").segment.job.rawValue == "bob")
    farm.handle(.chunkAccepted(first.token))
    #expect(try farm.lease("a").segment.job.rawValue == "ann")
  }

  @Test func `jobs without a submitter share as one submitter`() throws {
    var farm = try SimulatedFarm()
    farm.addJob("one", order: 1, frames: [10, 10])
    farm.addJob("two", order: 2, frames: [10])
    farm.addWorker("a")
    let jobs = try (0..<3).map { _ in try farm.lease("a").segment.job.rawValue }
    #expect(jobs == ["one", "one", "two"])
  }
}
