import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import PostgreSQL
import Support
import Testing
import sheaf_coordinator

/// A farm whose ledger is in PostgreSQL.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ServerFarmTests {
  private let server: PostgreSQLServer
  private let address: ServerAddress
  private let directory: TemporaryDirectory

  init() throws {
    server = try PostgreSQLServer.shared.get()
    address = try ServerAddress.test(server.makeDatabase())
    directory = try TemporaryDirectory()
  }

  private func farm() async throws -> TestFarm {
    try await TestFarm(in: directory, ledger: .server(address))
  }

  @Test func `a farm completes a job, and continues another after a restart`() async throws {
    let job: JobStatus
    let worker: String
    do {
      let farm = try await farm()
      worker = try await farm.register()
      let done = try await farm.finish(farm.submit(rerenders: false), by: worker)
      #expect(done.state == .completed)
      job = try await farm.submit()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    let farm = try await farm()
    let running: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(running.segments.completed == 1)
    #expect(try await farm.finish(job, by: worker).state == .completed)
    await farm.coordinator.stop()
    #expect(try Ledger(reading: address).jobCounts() == [.completed: 2])
  }

  @Test func `a coordinator stops when another one takes over its ledger`() async throws {
    let farm = try await farm()
    _ = try await farm.submit()
    let other = try Ledger(at: address, data: directory.path("data"))
    let reason = await farm.coordinator.breakdown()
    #expect(reason?.contains("another coordinator has taken over the ledger") == true)
    other.close()
  }

  @Test func `a coordinator whose database server hangs says so, and then continues`() async throws
  {
    let server = try PostgreSQLServer()
    let address = try ServerAddress.test(server.makeDatabase())
    let farm = try await TestFarm(in: directory, ledger: .server(address))
    let job = try await farm.submit()
    let worker = try await farm.register()
    try server.send(SIGSTOP)
    // A heartbeat would not show it; a request for work does.
    async let refused = farm.send(.post, "/workers/\(worker)/leases?wait=0")
    let request = try Request(.get, "/readyz")
    try await eventually("the coordinator is not ready") {
      await farm.coordinator.router.respond(to: request).status == .serviceUnavailable
    }
    try server.send(SIGCONT)
    _ = try await refused
    try await eventually("the coordinator is ready") {
      await farm.coordinator.router.respond(to: request).status == .ok
    }
    #expect(try await farm.finish(job, by: worker).state == .completed)
    await farm.coordinator.stop()
  }

  @Test func `a directory is not used with a ledger at the wrong place`() async throws {
    do {
      let farm = try await farm()
      let worker = try await farm.register()
      _ = try await farm.finish(farm.submit(), by: worker)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    func refusal(_ ledger: Coordinator.LedgerLocation) async -> String? {
      do {
        _ = try await TestFarm(in: directory, ledger: ledger)
        return nil
      } catch {
        return "\(error)"
      }
    }
    let withoutServer = try #require(await refusal(.onDisk))
    #expect(withoutServer.contains("is in a PostgreSQL database: name it with --ledger URL"))
    let empty = try ServerAddress.test(server.makeDatabase())
    let another = try #require(await refusal(.server(empty)))
    #expect(another.contains("has files of another one"))
    // Also if no file is left that a ledger must refer to.
    for folder in ["outputs", "assets", "chunks", "projects", "plans"] {
      try FileManager.default.removeItem(atPath: directory.path("data/\(folder)"))
    }
    #expect(await refusal(.server(empty))?.contains("has files of another one") == true)
    _ = try LedgerMove.fromServer(directory.path("data"), address)
    let moved = try #require(await refusal(.server(address)))
    #expect(moved.contains("the ledger is in SQLite"))
    #expect(await refusal(.onDisk) == nil)
  }
}
