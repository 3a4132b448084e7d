import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Limits on the segments of submitters and of the farm.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SegmentLimitTests {
  @Test func `a project with too many segments fails during planning`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.segmentsPerSubmitter = 1 })
    let job = try await farm.submit()
    let end = try await farm.end(of: job)
    #expect(end.state == .failed)
    #expect(end.failure?.code == "limit-reached")
  }

  @Test func `a job that would exceed the farm's limit of segments waits for room`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.segments = 17 })
    let first = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    #expect(lease.job == first.id)
    let second = try await farm.submit(priority: 1)
    try await eventually("the second job is planned") {
      try await !farm.segments(of: second).isEmpty
    }
    // It would come first if it had room.
    #expect(try await farm.lease(worker).job == first.id)
    _ = try await farm.send(.post, "/jobs/\(first.id)/cancel")
    #expect(try await farm.lease(worker).job == second.id)
  }

  @Test func `a job that waits for room can be cancelled, and the next one takes its turn`()
    async throws
  {
    let farm = try await TestFarm(limits: Limits { $0.segments = 17 })
    let first = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.lease(worker).job == first.id)
    let (second, third) = (try await farm.submit(), try await farm.submit())
    try await eventually("the third job is planned") { try await !farm.segments(of: third).isEmpty }
    _ = try await farm.send(.post, "/jobs/\(second.id)/cancel")
    _ = try await farm.send(.post, "/jobs/\(first.id)/cancel")
    #expect(try await farm.lease(worker).job == third.id)
  }

  @Test func `a project with more segments than the farm's limit fails during planning`()
    async throws
  {
    let farm = try await TestFarm(limits: Limits { $0.segments = 1 })
    let end = try await farm.end(of: farm.submit())
    #expect(end.failure?.code == "limit-reached")
    #expect(end.failure?.message.contains("(--max-segments)") == true)
  }

  @Test func `the segments of a retried job count toward the limit again`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.segmentsPerSubmitter = 17 })
    let first = try await farm.submit()
    _ = try await farm.lease(farm.register())
    _ = try await farm.send(.post, "/jobs/\(first.id)/cancel")
    let second = try await farm.submit()
    let worker = try await farm.register()
    #expect(try await farm.lease(worker).job == second.id)
    let retried = try await farm.send(.post, "/jobs/\(first.id)/retry")
    #expect(retried.status == .tooManyRequests)
    #expect(try await retried.problem() == .limitReached)
    _ = try await farm.send(.post, "/jobs/\(second.id)/cancel")
    #expect(try await farm.send(.post, "/jobs/\(first.id)/retry").status == .ok)
  }
}
