import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import SQL
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Only one coordinator at a time writes to a ledger on a server.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LedgerOwnershipTests {
  private typealias Scene = LedgerScene

  private let server: PostgreSQLServer
  private let address: ServerAddress
  private let name: String
  private let directory: TemporaryDirectory

  init() throws {
    server = try PostgreSQLServer.shared.get()
    let url = try server.makeDatabase()
    address = try ServerAddress.test(url)
    name = URL(fileURLWithPath: url).lastPathComponent
    directory = try TemporaryDirectory()
    // The lock that a coordinator would hold.
    try Data().write(to: URL(fileURLWithPath: directory.path("lock")))
  }

  private func open(_ data: TemporaryDirectory? = nil) throws -> Ledger {
    try Ledger(at: address, data: (data ?? directory).path)
  }

  private func expectLoss(of ledger: Ledger, _ problem: String) async throws {
    let error = #expect(throws: LedgerError.self) { try ledger.probe() }
    #expect(error?.code == .lost)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    let losses = try #require(ledger.losses)
    #expect(await losses.first { _ in true }?.contains(problem) == true)
  }

  @Test func `a coordinator that starts again takes over, and the old one cannot write`()
    async throws
  {
    let old = try open()
    let scene = Scene(old, in: directory)
    let job = try scene.plan("a", segments: 1)
    let new = try open()
    #expect(try new.unfinishedJobs().map(\.id) == [job])
    try new.write([.jobPrioritized(job, 5)])
    #expect(throws: LedgerError.self) { try old.write([.jobPrioritized(job, 9)]) }
    // A single statement is fenced too.
    #expect(throws: LedgerError.self) { try old.own(Scene.digest("x"), 5, by: "ada") }
    try await expectLoss(of: old, "another coordinator has taken over the ledger")
    #expect(try new.job(job)?.status.priority == 5)
    #expect(try new.assetCount(of: "ada") == 0)
    new.close()
  }

  @Test func `a coordinator that was taken over learns it even if it writes nothing`() async throws
  {
    let old = try open()
    let losses = try #require(old.losses)
    let new = try open()
    let reason = await losses.first { _ in true }
    #expect(reason?.contains("another coordinator has taken over the ledger") == true)
    new.close()
  }

  @Test func `the ledger of another data directory is refused`() throws {
    let owner = try open()
    let job = try Scene(owner, in: directory).insert("a")
    owner.close()
    let other = try TemporaryDirectory()
    let error = #expect(throws: StorageError.self) { try open(other) }
    #expect(error?.code == .inUse)
    #expect(error?.message.contains("belongs to another data directory") == true)
    let again = try open()
    #expect(try again.unfinishedJobs().map(\.id) == [job])
    again.close()
  }

  @Test func `a copy of the data directory waits for the claim of the other to end`() throws {
    let owner = try open()
    try owner.probe()
    let copy = try TemporaryDirectory()
    for file in ["lock", "ledger-owner.json"] {
      try FileManager.default.copyItem(atPath: directory.path(file), toPath: copy.path(file))
    }
    let error = #expect(throws: StorageError.self) {
      try Ledger(at: address, data: copy.path, patience: .seconds(1))
    }
    #expect(error?.message.contains("another coordinator of this farm owns the ledger") == true)
    try owner.probe()
    owner.close()
    let new = try open(copy)
    new.close()
  }

  @Test func `a coordinator that is suspended in a transaction does not lock out the next one`()
    throws
  {
    // What a suspended coordinator leaves: an open transaction, which the server ends.
    let old = try open()
    let job = try Scene(old, in: directory).insert("a")
    let suspended = try Connection(to: address)
    try suspended.execute(
      """
      BEGIN; SET LOCAL idle_in_transaction_session_timeout = '3s';
      SELECT FROM ledger_owner FOR NO KEY UPDATE; UPDATE ledger_commits SET number = number + 1
      """)
    let new = try open()
    #expect(throws: PostgreSQLError.self) { try suspended.execute("COMMIT") }
    try new.write([.jobPrioritized(job, 4)])
    #expect(try new.job(job)?.status.priority == 4)
    new.close()
  }

  @Test func `the server ends a transaction that its coordinator does not go on with`() throws {
    let ledger = try open()
    let error = #expect(throws: LedgerError.self) {
      try ledger.own(Suspending(seconds: 11), by: "ada")
    }
    #expect(error?.code == .passing)
    #expect(try ledger.assetCount(of: "ada") == 0)
    try ledger.probe()
    ledger.close()
  }

  /// Assets of which the second comes late, as if the process had been suspended in between.
  private struct Suspending: Sequence {
    let seconds: Double

    func makeIterator() -> AnyIterator<AssetReference> {
      var number = 0
      return AnyIterator {
        number += 1
        guard number <= 2 else { return nil }
        if number == 2 { pause(for: .seconds(seconds), because: "the process is suspended") }
        return AssetReference(digest: LedgerScene.digest("asset \(number)"), byteCount: 1)
      }
    }
  }

  @Test func `files of another ledger are not given a new one`() throws {
    let error = #expect(throws: StorageError.self) {
      try Ledger(at: address, data: directory.path, isUnused: false)
    }
    #expect(error?.message.contains("has files of another one") == true)
    try open().close()
  }

  @Test func `a server that has lost commits ends the service`() async throws {
    let ledger = try open()
    try ledger.probe()
    try server.run("UPDATE ledger_commits SET number = number - 1", in: name)
    try await expectLoss(of: ledger, "the ledger has lost transactions")
  }

  @Test func `commits leave no versions of the owner's row behind while a snapshot is held`() throws
  {
    let ledger = try open()
    let holder = try Connection(to: address)
    try holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM ledger_owner")
    let commits = 500
    for _ in 0..<commits { try ledger.probe() }
    // A page has room for about 40 versions. Renewals of the claim add one every few seconds.
    let pages = try server.run("SELECT pg_relation_size('ledger_owner') / 8192", in: name)
    #expect(try #require(Int(pages)) < commits / 100)
    ledger.close()
  }

  @Test func `a connection that ends between statements is replaced`() throws {
    let ledger = try open()
    let scene = Scene(ledger, in: directory)
    let job = try scene.insert("a")
    try endConnections()
    #expect(try ledger.unfinishedJobs().map(\.id) == [job])
    try endConnections()
    try scene.write(.jobPrioritized(job, 2))
    #expect(try ledger.job(job)?.status.priority == 2)
    // A reader's connection is kept, and replaced when it has ended.
    for _ in 0..<2 {
      #expect(try ledger.snapshot?.read { try $0.jobCounts() } == [.queued: 1])
      try endConnections()
    }
    ledger.close()
  }

  @Test func `readers share four connections, and a reader of a server that lags behind fails`()
    throws
  {
    let ledger = try open()
    try ledger.probe()
    let snapshot = try #require(ledger.snapshot)
    let before = try server.run(connections, in: "postgres")
    DispatchQueue.concurrentPerform(iterations: 12) { _ in
      #expect(throws: Never.self) { try snapshot.read { _ = try $0.jobCounts() } }
    }
    let opened = try #require(Int(server.run(connections, in: "postgres"))) - (Int(before) ?? 0)
    #expect((1...4).contains(opened))
    try server.run("UPDATE ledger_commits SET number = number - 1", in: name)
    let error = #expect(throws: LedgerError.self) { try snapshot.read { try $0.jobCounts() } }
    #expect(error?.message.contains("lags behind") == true)
    ledger.close()
  }

  private var connections: String {
    "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)'"
  }

  @Test func `a lock of another session on the owner's row delays neither reads nor later writes`()
    throws
  {
    let ledger = try open()
    let job = try Scene(ledger, in: directory).insert("a")
    let blocker = try Connection(to: address)
    try blocker.execute("BEGIN; SELECT FROM ledger_owner FOR UPDATE")
    let first = #expect(throws: LedgerError.self) { try ledger.probe() }
    #expect(first?.code == .passing && first?.message.contains("lock timeout") == true)
    // The next writes fail without a look at the server: the row is free by now.
    try blocker.execute("ROLLBACK")
    for _ in 0..<10 { #expect(throws: LedgerError.self) { try ledger.probe() } }
    #expect(try ledger.job(job)?.status.state == .queued)
    try blockUntil("the ledger can be written") { (try? ledger.probe()) != nil }
    // No transaction of a renewal is left behind.
    let waiting = connections + " AND wait_event_type = 'Lock'"
    #expect(try server.run(waiting, in: "postgres") == "0")
    ledger.close()
  }

  /// Ends every connection to the database.
  private func endConnections() throws {
    try server.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
      in: "postgres")
  }

  @Test(arguments: [false, true])
  func `a connection that ends within a transaction fails it, and it can be repeated`(
    reads: Bool
  ) throws {
    let ledger = try open()
    let scene = Scene(ledger, in: directory)
    let (job, other) = (try scene.insert("a"), try scene.insert("b"))
    // The second transition waits for a lock that the test holds until the connection is gone.
    let blocker = try Connection(to: address)
    try blocker.execute("BEGIN; LOCK TABLE workers IN ACCESS EXCLUSIVE MODE")
    let worker = WorkerEntry(
      id: WorkerID(rawValue: "w"), name: "rack", slots: 1, fingerprint: Scene.fingerprint)
    var transitions: [Transition] = [.jobPrioritized(job, 3), .workerRegistered(worker)]
    // A deletion reads, so the transaction does not get as far as its commit.
    if reads { transitions.append(.jobDeleted(other)) }
    let cut = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // The lock itself stays, so that the transaction cannot succeed.
      let waiting = """
        SELECT pg_terminate_backend(pid) AS ended FROM pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE relname = 'workers' AND NOT granted AND database = (
          SELECT oid FROM pg_database WHERE datname = current_database())
        """
      do {
        let observer = try Connection(to: address)
        try blockUntil("the ledger waits for the lock") {
          try observer.first(waiting) { try $0.get(0) as Bool } == true
        }
      } catch {
        Issue.record(error)
      }
      cut.signal()
    }
    let error = #expect(throws: (any Error).self) {
      try ledger.write(transitions)
    }
    cut.wait()
    try blocker.execute("ROLLBACK")
    #expect((error as? LedgerError)?.code == .passing)
    #expect("\(error.map { "\($0)" } ?? "")".contains("the connection to the database broke"))
    #expect(try ledger.job(job)?.status.priority == nil)
    #expect(try ledger.job(other) != nil)
    try ledger.write(transitions)
    #expect(try ledger.job(job)?.status.priority == 3)
    #expect(try (ledger.job(other) == nil) == reads)
    ledger.close()
  }
}
