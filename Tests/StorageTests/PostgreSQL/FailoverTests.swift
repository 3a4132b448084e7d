import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import Support
import Testing
import sheaf_coordinator

/// The server of a ledger fails, and its standby takes over.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FailoverTests {
  private let primary: PostgreSQLServer
  private let standby: PostgreSQLServer
  private let directory: TemporaryDirectory
  private let ledger: Ledger
  private let scene: LedgerScene

  init() throws {
    primary = try PostgreSQLServer()
    try primary.run("CREATE DATABASE farm", in: "postgres")
    standby = try PostgreSQLServer(following: primary)
    directory = try TemporaryDirectory()
    try Data().write(to: URL(fileURLWithPath: directory.path("lock")))
    let hosts = [standby, primary].map(\.folder).joined(separator: ",")
    let address = try ServerAddress.test("postgresql:///farm?user=sheaf&host=\(hosts)")
    ledger = try Ledger(at: address, data: directory.path)
    scene = LedgerScene(ledger, in: directory)
  }

  /// Waits until the standby has everything.
  private func catchUp() throws {
    let place = try primary.run("SELECT pg_current_wal_insert_lsn()", in: "postgres")
    try blockUntil("the standby catches up") {
      try standby.run(
        "SELECT pg_last_wal_replay_lsn() >= '\(place)'", in: "postgres") == "t"
    }
  }

  @Test func `a ledger continues on the standby that takes over`() throws {
    let job = try scene.insert("a")
    try catchUp()
    primary.stop()
    let error = #expect(throws: LedgerError.self) { try ledger.probe() }
    #expect(error?.code == .passing)
    try standby.promote()
    try blockUntil("the ledger can be written") { (try? ledger.probe()) != nil }
    try scene.write(.jobPrioritized(job, 6))
    #expect(try ledger.job(job)?.status.priority == 6)
    ledger.close()
  }

  @Test func `a standby that missed commits ends the service, and the next start uses it`() throws {
    let job = try scene.insert("a")
    try catchUp()
    // The standby receives nothing from here on.
    try standby.run("ALTER SYSTEM SET primary_conninfo = ''", in: "postgres")
    try standby.run("SELECT pg_reload_conf()", in: "postgres")
    try blockUntil("the standby is cut off") {
      try standby.run("SELECT count(*) FROM pg_stat_wal_receiver", in: "postgres") == "0"
    }
    try scene.write(.jobPrioritized(job, 6))
    primary.stop()
    try standby.promote()
    var loss: LedgerError?
    try blockUntil("the loss is noticed") {
      do { try ledger.probe() } catch let error as LedgerError where error.code == .lost {
        loss = error
      } catch is LedgerError {}
      return loss != nil
    }
    #expect(loss?.message.contains("the ledger has lost transactions") == true)
    #expect(throws: LedgerError.self) { try scene.write(.jobPrioritized(job, 7)) }
    let address = try ServerAddress.test(standby.url(of: "farm"))
    let next = try Ledger(at: address, data: directory.path)
    #expect(try next.job(job)?.status.priority == nil)
    try next.write([.jobPrioritized(job, 8)])
    next.close()
  }
}
