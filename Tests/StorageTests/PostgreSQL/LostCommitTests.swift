import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// A commit costs little time, and leaves no doubt if the connection breaks.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LostCommitTests {
  private let server: PostgreSQLServer
  private let relay: DatabaseRelay
  private let scene: LedgerScene

  init() throws {
    server = try PostgreSQLServer.shared.get()
    relay = try DatabaseRelay(to: server)
    let name = URL(fileURLWithPath: try server.makeDatabase()).lastPathComponent
    let directory = try TemporaryDirectory()
    let address = try ServerAddress.test(relay.url(of: name))
    scene = LedgerScene(try Ledger(at: address, data: directory.path), in: directory)
  }

  @Test func `a change waits for the server twice, however many statements it has`() throws {
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    let start = relay.waits
    let grant = try scene.begin(0, of: job, by: worker)
    #expect(relay.waits - start == 2)
    try scene.write(
      .chunkAccepted(
        grant, LedgerScene.chunk(LedgerScene.digest("x")), by: LedgerScene.deliverer(worker),
        at: LedgerScene.date(10)),
      .attemptLogged(grant, "done"),
      .chunkKept(grant.segment, LedgerScene.kept("x", under: "key"), at: LedgerScene.date(10)))
    #expect(relay.waits - start == 4)
    #expect(try scene.ledger.chunks(of: job) == [0: LedgerScene.digest("x")])
    scene.ledger.close()
  }

  @Test(arguments: [Duration.zero, .seconds(2)])
  func `a commit whose answer is lost is known to have taken place`(downtime: Duration) throws {
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    relay.cutNextCommit(.answerLost, downFor: downtime)
    // An insertion that is repeated would fail.
    _ = try scene.begin(0, of: job, by: worker)
    #expect(try scene.ledger.entries(of: job).first?.attempts == 1)
    try scene.write(.jobPrioritized(job, 4))
    #expect(try scene.row(job)?.status.priority == 4)
    scene.ledger.close()
  }

  @Test func `a commit whose outcome is found out too late ends the service`() throws {
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    relay.cutNextCommit(.answerLost, downFor: .seconds(14))
    let error = #expect(throws: LedgerError.self) { try scene.begin(0, of: job, by: worker) }
    #expect(error?.code == .passing)
    var loss: LedgerError?
    try blockUntil("the server can be reached again") {
      do { try scene.ledger.probe() } catch let error as LedgerError where error.code == .lost {
        loss = error
      } catch is LedgerError {}
      return loss != nil
    }
    #expect(loss?.message.contains("a transaction was committed although") == true)
  }

  @Test func `a commit that did not arrive is reported, and can be repeated`() throws {
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    relay.cutNextCommit(.swallowed)
    let error = #expect(throws: LedgerError.self) { try scene.begin(0, of: job, by: worker) }
    #expect(error?.code == .passing)
    #expect(try scene.ledger.entries(of: job).first?.attempts == 0)
    _ = try scene.begin(0, of: job, by: worker)
    #expect(try scene.ledger.entries(of: job).first?.attempts == 1)
    scene.ledger.close()
  }
}
