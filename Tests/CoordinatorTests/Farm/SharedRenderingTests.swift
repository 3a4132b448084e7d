import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Equal segments of running jobs are rendered once.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SharedRenderingTests {
  @Test func `two concurrent jobs of one project are rendered once, and both complete`()
    async throws
  {
    let farm = try await TestFarm()
    var jobs: [JobStatus] = []
    for _ in 0..<2 { jobs.append(try await farm.submit(rerenders: false)) }
    for job in jobs {
      try await farm.wait(for: job, until: .rendering)
    }
    let worker = try await farm.register()
    var rendered = 0
    let states = try await eventually("both jobs end") {
      let states = try await farm.get("/jobs", as: [JobStatus].self)
      guard states.contains(where: { $0.segments.pending > 0 }) else { return states }
      let lease = try await farm.lease(worker)
      rendered += 1
      #expect(try await farm.deliver(lease).status == .ok)
      return states
    } satisfies: { states in
      states.allSatisfy { $0.state.isFinal }
    }
    #expect(states.map(\.state) == [.completed, .completed])
    let total = try #require(states.first?.segments.total)
    #expect(rendered == total)
    #expect(states.map { $0.segmentsReused ?? 0 }.sorted() == [0, total])
    #expect(try await farm.metric("sheaf_leases_granted_total") == total)
  }
}
