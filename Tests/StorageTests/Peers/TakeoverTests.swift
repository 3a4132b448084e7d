import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import PostgreSQL
import Processes
import Support
import Testing
import sheaf_coordinator

/// The time between a coordinator's claim to the ledger and its first response.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct TakeoverTests {
  private let scene: PeerScene

  init() throws { scene = try PeerScene() }

  /// Starts a coordinator without tokens and TLS.
  private func start(_ name: String, at place: String = "127.0.0.1:0") throws -> RunningCoordinator
  {
    try RunningCoordinator(
      data: scene.directory.path(name),
      ["--ledger", scene.ledgerURL, "--peer-address", place] + scene.storeOptions())
  }

  @Test func `a coordinator that cannot serve the farm gives up the ledger that it has claimed`()
    throws
  {
    let founder = try start("one")
    defer { founder.kill() }
    let entrance = try ListeningSocket(address: "127.0.0.1", port: 0, listens: false)
    let second = try start("two", at: "127.0.0.1:\(entrance.port)")
    defer { second.kill() }
    // The second coordinator listens there only when it owns the ledger.
    try entrance.startListening()
    founder.process.terminate()
    founder.process.wait()
    #expect(second.process.wait() == .exited(1))
    let owner = "SELECT epoch, expires_at = '-infinity' FROM ledger_owner"
    #expect(try scene.query(owner) == "2|t")
  }

  @Test func `clients are told to try again while the new owner reads the ledger`() async throws {
    let founder = try start("one")
    defer { founder.kill() }
    let second = try start("two")
    defer { second.kill() }
    let connection = try Connection(to: ServerAddress.test(scene.ledgerURL))
    try connection.execute("BEGIN; LOCK TABLE jobs")
    founder.kill()
    _ = try scene.query("UPDATE ledger_owner SET expires_at = '-infinity'")
    try await eventually("the second coordinator claims the ledger") {
      try scene.query("SELECT epoch FROM ledger_owner") == "2"
    }
    let request = ClientRequest(.get, "\(second.url)/jobs")
    let response = try await Client().send(request)
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers["Retry-After"] == "1")
    #expect(response.problem?.detail == "no coordinator serves this farm now: try again")
    try connection.execute("ROLLBACK")
    try await eventually("the second coordinator serves the farm") {
      try await Client().send(request).status == .ok
    }
  }
}
