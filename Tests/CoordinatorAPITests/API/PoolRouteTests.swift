import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PoolRouteTests {
  private func register(
    _ name: String, at farm: TestFarm, pools: [String]? = nil, priority: Int? = nil
  ) async throws -> Response {
    try await farm.post(
      "/workers",
      WorkerRegistration(
        name: name, slots: 1, fingerprint: "x264", pools: pools, priority: priority))
  }

  private func submit(pool: String, to farm: TestFarm) async throws -> Response {
    let asset = try await farm.upload(Data("a clip".utf8))
    return try await farm.post(
      "/jobs",
      JobSubmission(
        name: "cut", project: TestFarm.project, assets: ["a.mp4": asset], pool: pool))
  }

  @Test func `a job waits for a worker of its pool, also after a restart`() async throws {
    let directory = try TemporaryDirectory()
    var job: JobStatus?
    do {
      let farm = try await TestFarm(in: directory, ledger: .onDisk)
      _ = try await register("a", at: farm)
      let submitted: JobStatus = try await submit(pool: "gpu", to: farm).wire()
      try await farm.wait(for: submitted, until: .rendering)
      let status: JobStatus = try await farm.get("/jobs/\(submitted.id)")
      #expect(status.waitingFor == "a worker of the pool gpu (registered: none)")
      let whole: FarmStatus = try await farm.get("/farm")
      let segments = whole.segments
      #expect(segments.pending > 0 && segments.leased == 0)
      #expect(whole.pools == [.init(name: "gpu", pending: segments.pending, leased: 0)])
      let welcome = try await register("b", at: farm, pools: ["gpu"], priority: 3)
      #expect(welcome.status == .created)
      job = submitted
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await TestFarm(in: directory, ledger: .onDisk)
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.pools) == [nil, ["gpu"]] && workers.map(\.priority) == [nil, 3])
    let (a, b) = (workers[0].id, workers[1].id)
    #expect(try await farm.send(.post, "/workers/\(a)/leases?wait=0").status == .noContent)
    #expect(try await farm.lease(b).job == job?.id)
    #expect(try await farm.get("/farm", as: FarmStatus.self).pools?.first?.leased == 1)
  }

  @Test func `invalid pools and priorities are rejected`() async throws {
    let farm = try await TestFarm()
    #expect(try await register("a", at: farm, pools: ["a b"]).status == .badRequest)
    #expect(try await register("a", at: farm, priority: 101).status == .badRequest)
    #expect(try await submit(pool: "", to: farm).status == .badRequest)
  }

  @Test func `draining at once takes the leases back`() async throws {
    let farm = try await TestFarm()
    let (a, b) = (try await farm.register(name: "a"), try await farm.register(name: "b"))
    _ = try await farm.submit()
    let lease = try await farm.lease(a)
    let drained: WorkerStatus = try await farm.send(.post, "/workers/\(a)/drain?now=true").wire()
    #expect(drained.state == .draining && drained.leases == 0)
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(beat.status.rawValue >= 400)
    #expect(try await farm.lease(b).segment == lease.segment)
    #expect(try await farm.send(.post, "/workers/\(a)/leases?wait=0").status == .noContent)
  }
}
