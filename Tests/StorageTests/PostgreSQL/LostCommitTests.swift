import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// A connection that breaks at a commit leaves no doubt about the commit.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LostCommitTests {
  private let server: PostgreSQLServer
  private let cutter: CommitCutter
  private let scene: LedgerScene

  init() throws {
    server = try PostgreSQLServer.shared.get()
    cutter = try CommitCutter(to: server)
    let name = URL(fileURLWithPath: try server.makeDatabase()).lastPathComponent
    let directory = try TemporaryDirectory()
    let address = try ServerAddress.test(cutter.url(of: name))
    scene = LedgerScene(try Ledger(at: address, data: directory.path), in: directory)
  }

  @Test(arguments: [Duration.zero, .seconds(2)])
  func `a commit whose answer is lost is known to have taken place`(downtime: Duration) throws {
    let job = try scene.plan("a", segments: 1)
    let worker = try scene.register("rack")
    cutter.cutNextCommit(.answerLost, downFor: downtime)
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
    cutter.cutNextCommit(.answerLost, downFor: .seconds(14))
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
    cutter.cutNextCommit(.swallowed)
    let error = #expect(throws: LedgerError.self) { try scene.begin(0, of: job, by: worker) }
    #expect(error?.code == .passing)
    #expect(try scene.ledger.entries(of: job).first?.attempts == 0)
    _ = try scene.begin(0, of: job, by: worker)
    #expect(try scene.ledger.entries(of: job).first?.attempts == 1)
    scene.ledger.close()
  }
}
