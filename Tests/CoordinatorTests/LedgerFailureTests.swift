import FarmAPI
import Foundation
import HTTP
import SQLite
import Support
import Testing
import sheaf_coordinator

struct LedgerFailureTests {
  private func readiness(of farm: TestFarm) async throws -> Status {
    await farm.coordinator.router.respond(to: try Request(.get, "/readyz")).status
  }

  @Test(.timeLimit(.minutes(1)))
  func `while the ledger cannot be written nothing is granted or accepted, and then it goes on`()
    async throws
  {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)

    let blocker = try Database(.file(farm.directory.path("data/ledger.sqlite")))
    try blocker.execute("BEGIN IMMEDIATE")
    #expect(try await farm.deliver(lease).status == .serviceUnavailable)
    // A heartbeat writes nothing, and says nothing about the disk.
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(beat.status == .ok)
    #expect(try await readiness(of: farm) == .serviceUnavailable)
    #expect(
      try await farm.send(.post, "/workers/\(worker)/leases?wait=60").status
        == .serviceUnavailable)
    #expect(try await readiness(of: farm) == .serviceUnavailable)
    try blocker.execute("ROLLBACK")

    #expect(try await farm.deliver(lease).status == .ok)
    #expect(try await readiness(of: farm) == .ok)
    let other = try await farm.lease(worker)
    #expect(other.segment != lease.segment)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[lease.segment].state == .completed)
    #expect(segments[other.segment].state == .leased)
  }

  /// Makes the ledger refuse something for good.
  private func refuse(_ what: String, in farm: TestFarm) throws {
    let other = try Database(.file(farm.directory.path("data/ledger.sqlite")))
    try other.execute("CREATE TRIGGER \(what) BEGIN SELECT RAISE(ABORT, 'refused'); END")
  }

  @Test(.timeLimit(.minutes(1)))
  func `what the ledger refuses for good fails its job and is in nobody's way`() async throws {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit(name: "poison")
    try refuse("a BEFORE INSERT ON attempts WHEN NEW.job = '\(job.id)'", in: farm)
    let worker = try await farm.register()
    let refused = try await farm.send(.post, "/workers/\(worker)/leases?wait=60")
    #expect(refused.status == .serviceUnavailable)
    let end = try await farm.end(of: job)
    #expect(end.failure?.code == "ledger")
    let other = try await farm.submit(name: "other")
    #expect(try await farm.lease(worker).job == other.id)
    #expect(try await readiness(of: farm) == .ok)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a coordinator whose ledger refuses even the end of a job stops`() async throws {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    try refuse("a BEFORE INSERT ON attempts", in: farm)
    try refuse("b BEFORE UPDATE ON jobs WHEN NEW.state = 'failed'", in: farm)
    let worker = try await farm.register()
    _ = try await farm.send(.post, "/workers/\(worker)/leases?wait=60")
    // Whatever is written next meets what is in the way.
    async let asked = farm.send(.post, "/workers/\(worker)/leases?wait=0")
    let reason = try #require(await farm.coordinator.breakdown())
    _ = try await asked
    #expect(reason.contains("refuses the end of job \(job.id)"))
  }
}
