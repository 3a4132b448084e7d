import CoordinatorSupport
import FarmAPI
import HTTP
import Support
import Testing
import sheaf_coordinator

/// A farm on a ledger without a database.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ProvidedLedgerTests {
  @Test func `a farm on another ledger completes a job and reuses its chunks`() async throws {
    let ledger = MemoryLedger()
    let farm = try await TestFarm(ledger: .provided { ledger })
    let worker = try await farm.register()
    let job = try await farm.finish(farm.submit(rerenders: false), by: worker)
    #expect(job.state == .completed)
    #expect(ledger.jobCounts() == [.completed: 1])
    let again = try await farm.end(of: farm.submit(rerenders: false))
    #expect(again.state == .completed && again.segmentsReused == again.segments.total)
    #expect(again.output?.sha256 == job.output?.sha256)
    let jobs: [JobStatus] = try await farm.get("/jobs")
    #expect(jobs.map(\.id) == [again.id, job.id])
    await farm.coordinator.stop()
  }

  @Test func `a farm on another ledger continues a job after a restart`() async throws {
    let directory = try TemporaryDirectory()
    let ledger = MemoryLedger()
    let job: JobStatus
    let worker: String
    do {
      let farm = try await TestFarm(in: directory, ledger: .provided { ledger })
      job = try await farm.submit()
      worker = try await farm.register()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .provided { ledger })
    let running: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(running.segments.completed == 1)
    #expect(try await farm.finish(job, by: worker).state == .completed)
    await farm.coordinator.stop()
  }
}
