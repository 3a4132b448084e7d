import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Scheduling
import Support
import Testing

/// Speculative copies and missing workers, as clients see them.
@Suite(.mayBlock) struct CopyRouteTests {
  /// Renders all segments except for the first lease, which is slow by comparison.
  private func slowLease(in farm: TestFarm, of job: JobStatus) async throws -> (Lease, String) {
    let (slow, quick) = (try await farm.register(name: "slow"), try await farm.register())
    let lease = try await farm.lease(slow)
    let total = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
    for _ in 1..<total {
      #expect(try await farm.deliver(farm.lease(quick)).status == .ok)
    }
    return (lease, quick)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a slow last segment goes to a second worker too, and the slow one is told to stop`()
    async throws
  {
    let farm = try await TestFarm(settings: SchedulerSettings(copyAfter: .milliseconds(20)))
    let job = try await farm.submit()
    let (slow, quick) = try await slowLease(in: farm, of: job)
    let copy = try await farm.lease(quick)
    #expect(copy.segment == slow.segment)
    #expect(copy.attempt == 2)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[copy.segment].worker == "slow")
    #expect(segments[copy.segment].copyWorker == "host")
    #expect(try await !farm.isStopped(slow))

    #expect(try await farm.deliver(copy).status == .ok)
    #expect(try await farm.isStopped(slow))
    #expect(try await farm.deliver(slow).status == .ok, "the bytes are the same")
    let other = try await farm.deliver(slow) { $0.sha256 = Digest.of(Data("other".utf8)) }
    #expect(try await other.problem() == .staleLease)
    #expect(try await farm.end(of: job).state == .completed)
    #expect(try await farm.metric("sheaf_copies_granted_total") == 1)
    #expect(try await farm.metric("sheaf_copies_first_total") == 1)
    #expect(try await farm.metric("sheaf_leases_superseded_total") == 1)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a copy that is given back leaves the segment with the first worker`() async throws {
    let farm = try await TestFarm(settings: SchedulerSettings(copyAfter: .milliseconds(20)))
    let job = try await farm.submit()
    let (slow, quick) = try await slowLease(in: farm, of: job)
    let copy = try await farm.lease(quick)
    #expect(try await farm.send(.delete, "/leases/\(copy.token)").status == .noContent)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[slow.segment].state == .leased)
    #expect(try await farm.deliver(slow).status == .ok)
    #expect(try await farm.end(of: job).state == .completed)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job without workers reports that it waits for them`() async throws {
    let farm = try await TestFarm(
      settings: SchedulerSettings(starvationGrace: .milliseconds(100)))
    let job = try await farm.submit()
    let status: JobStatus = try await eventually("the job waits for workers") {
      try await farm.get("/jobs/\(job.id)")
    } satisfies: {
      $0.waitingFor != nil
    }
    #expect(status.waitingFor == "available workers (registered: none)")
    #expect(try await farm.metric("sheaf_jobs_waiting_for_workers") == 1)
    _ = try await farm.lease(farm.register())
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).waitingFor == nil)
  }

  @Test(.timeLimit(.minutes(15)))
  func `workers with other libraries start a job over, and its file has only their chunks`()
    async throws
  {
    let settings = try SchedulerSettings(
      starvationGrace: .milliseconds(50), restartAfter: .milliseconds(200))
    let farm = try await TestFarm(settings: settings)
    let job = try await farm.submit()
    let old = try await farm.register(fingerprint: "old")
    let first = try await farm.lease(old)
    #expect(try await farm.deliver(first).status == .ok)
    _ = try await farm.send(.post, "/workers/\(old)/drain")
    let new = try await farm.register(name: "new", fingerprint: "new")
    var total = 1
    var leased: Set<Int> = []
    while leased.count < total {
      let lease = try await farm.lease(new)
      total = try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.total
      leased.insert(lease.segment)
      #expect(try await farm.deliver(lease).status == .ok)
    }
    #expect(leased.contains(first.segment))
    #expect(try await farm.end(of: job).state == .completed)
    #expect(try await farm.metric("sheaf_jobs_restarted_total") == 1)
  }
}
