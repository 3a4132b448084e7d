import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Preparation
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// The streams of jobs whose stored plans have unusual facts.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct StoredStreamTests {
  private let ledger = MemoryLedger()

  /// A farm with a completed job, whose stored plan is then changed.
  private func completedJob(
    changing change: (inout PlanFacts) throws -> Void
  ) async throws -> (TestFarm, JobID) {
    let farm = try await TestFarm(ledger: .provided { [ledger] in ledger })
    let job = try await farm.finish(farm.submit(), by: farm.register())
    let id = JobID(rawValue: job.id)
    var plan = try #require(ledger.plan(of: id))
    try change(&plan)
    try ledger.keep(plan, of: id)
    return (farm, id)
  }

  @Test func `a provisional plan of an earlier version has no stream until the next plan`()
    async throws
  {
    let (farm, id) = try await completedJob { $0.excerptCount = 1 }
    for name in ["stream", "stream.m3u8", "stream/film/0-0.m4s"] {
      #expect(try await farm.send(.get, "/jobs/\(id)/\(name)").status == .conflict)
    }
    await farm.coordinator.stop()
  }

  @Test func `the revision of a stream is that of the plan with which it began`() async throws {
    let origin = LedgerScene.digest("the first plan")
    let (farm, id) = try await completedJob { $0.streamOrigin = origin }
    let stream: JobStream = try await farm.get("/jobs/\(id)/stream")
    #expect(stream.revision == origin.description.prefix(16))
    await farm.coordinator.stop()
  }

  @Test func `a number of a stored plan that is out of range is an error`() async throws {
    let (farm, id) = try await completedJob { plan in
      let part = String(decoding: try FarmCoding.encode(plan.head), as: UTF8.self)
      plan.interimSound = .mixed
      plan.interimMix = try FarmCoding.decode(
        PlanFacts.InterimMix.self,
        from: Data(
          """
          {"part": \(part), "sources": [],
           "reach": {"sampleRate": 48000, "skippedSamples": \(Int64.max - 10), "margin": 0}}
          """.utf8))
    }
    let response = try await farm.send(.get, "/jobs/\(id)/stream/film/0-0.m4s")
    #expect(response.status == .serviceUnavailable)
    await farm.coordinator.stop()
  }
}
