import FarmAPI
import Foundation
import HTTP
import Testing
import sheaf_coordinator

/// Equal segments of running jobs are rendered once.
@Suite(.timeLimit(.minutes(1))) struct SharedRenderingTests {
  @Test func `two concurrent jobs of one project are rendered once, and both complete`()
    async throws
  {
    let farm = try await TestFarm()
    var jobs: [JobStatus] = []
    for _ in 0..<2 { jobs.append(try await farm.submit(rerenders: false)) }
    for job in jobs {
      while try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state != .rendering {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let worker = try await farm.register()
    var rendered = 0
    while true {
      let states = try await farm.get("/jobs", as: [JobStatus].self)
      if states.allSatisfy({ $0.state.isFinal }) { break }
      guard states.contains(where: { $0.segments.pending > 0 }) else {
        try await Task.sleep(for: .milliseconds(5))
        continue
      }
      let lease = try await farm.lease(worker)
      rendered += 1
      #expect(try await farm.deliver(lease).status == .ok)
    }
    let states = try await farm.get("/jobs", as: [JobStatus].self)
    #expect(states.map(\.state) == [.completed, .completed])
    let total = try #require(states.first?.segments.total)
    #expect(rendered == total)
    #expect(states.map { $0.segmentsReused ?? 0 }.sorted() == [0, total])
    #expect(try await farm.metric("sheaf_leases_granted_total") == total)
  }
}
