import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct LedgerFailureTests {
  private func readiness(of farm: TestFarm) async throws -> Status {
    await farm.coordinator.router.respond(to: try Request(.get, "/readyz")).status
  }

  @Test(.timeLimit(.minutes(15)))
  func `while the ledger cannot be written, no lease is granted and no chunk is accepted`()
    async throws
  {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)

    let blocker = try Database(.file(farm.directory.path("data/ledger.sqlite")))
    try blocker.execute("BEGIN IMMEDIATE")
    #expect(try await farm.deliver(lease).status == .serviceUnavailable)
    // A heartbeat writes nothing, so its success says nothing about the ledger.
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

  /// Makes the ledger refuse a kind of write permanently.
  ///
  /// - Parameter what: the name and the event of an SQL trigger.
  private func refuse(_ what: String, in farm: TestFarm) throws {
    let other = try Database(.file(farm.directory.path("data/ledger.sqlite")))
    try other.execute("CREATE TRIGGER \(what) BEGIN SELECT RAISE(ABORT, 'refused'); END")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a job whose record the ledger always refuses fails and does not block other jobs`()
    async throws
  {
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

  @Test(.timeLimit(.minutes(15)))
  func `a coordinator stops if its ledger refuses even to record a job's failure`() async throws {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    try refuse("a BEFORE INSERT ON attempts", in: farm)
    try refuse("b BEFORE UPDATE ON jobs WHEN NEW.state = 'failed'", in: farm)
    let worker = try await farm.register()
    _ = try await farm.send(.post, "/workers/\(worker)/leases?wait=60")
    // The next write runs into a trigger.
    async let asked = farm.send(.post, "/workers/\(worker)/leases?wait=0")
    let reason = try #require(await farm.coordinator.breakdown())
    _ = try await asked
    #expect(reason.contains("cannot record that job \(job.id) failed"))
  }
}
