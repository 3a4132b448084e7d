import CoordinatorSupport
import FarmAPI
import HTTP
import Support
import Testing
import sheaf_coordinator

/// The memory of workers, over the routes.
@Suite(.mayBlock) struct WorkerMemoryTests {
  /// A lease for a worker, if there is one at once.
  private func lease(_ worker: String, on farm: TestFarm) async throws -> Lease? {
    let response = try await farm.send(.post, "/workers/\(worker)/leases")
    guard response.status == .ok else { return nil }
    return try await response.wire(as: Lease.self)
  }

  /// The memory that each segment of a job needs, from leases that are given back.
  private func needs(on farm: TestFarm) async throws -> [Int] {
    let worker = try await farm.register(name: "unlimited")
    var leases = [try await farm.lease(worker)]
    while let lease = try await lease(worker, on: farm) { leases.append(lease) }
    for lease in leases {
      #expect(try await farm.send(.delete, "/leases/\(lease.token)").status == .noContent)
    }
    #expect(try await farm.send(.post, "/workers/\(worker)/drain").status == .ok)
    return leases.map { $0.memory ?? 0 }
  }

  @Test func `the leases of a worker never need more memory together than it has`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let needs = try await needs(on: farm)
    let memory = try #require(needs.max())
    #expect(needs.allSatisfy { $0 > 0 })
    let worker = try await farm.register(memory: memory)
    var delivered = 0
    while true {
      var leases: [Lease] = []
      while let lease = try await lease(worker, on: farm) { leases.append(lease) }
      guard !leases.isEmpty else { break }
      let workers: [WorkerStatus] = try await farm.get("/workers")
      let status = try #require(workers.first { $0.id == worker })
      #expect(status.memory == memory)
      #expect(status.memoryInUse == leases.reduce(0) { $0 + ($1.memory ?? 0) })
      #expect(status.memoryInUse <= memory)
      for lease in leases { #expect(try await farm.deliver(lease).status == .ok) }
      delivered += leases.count
      try #require(delivered <= needs.count, "a segment was leased again after its delivery")
    }
    #expect(delivered == needs.count)
  }

  @Test func `a job's status says at once that a segment is too large for every worker`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let needs = try await needs(on: farm)
    _ = try await farm.register(memory: (needs.max() ?? 0) / 2)
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.waitingFor?.hasPrefix("a worker with more memory: segment ") == true)
  }

  @Test func `a worker's memory must be positive`() async throws {
    let farm = try await TestFarm()
    let registration = WorkerRegistration(name: "host", slots: 1, fingerprint: "f", memory: 0)
    #expect(try await farm.post("/workers", registration).problem() == .malformedRequest)
  }
}
