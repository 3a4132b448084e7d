import CoordinatorSupport
import Foundation
import PostgreSQL
import Support
import Testing
import sheaf_coordinator

/// The ledgers in SQLite and in PostgreSQL give the same answers.
@Suite(.mayBlock) struct LedgerHistoryTests {
  @Test(arguments: Thoroughness.sample(Array(1...60 as ClosedRange<UInt64>), every: 20))
  func `random histories give the same answers in both databases`(seed: UInt64) throws {
    let folder = try TemporaryDirectory()
    try compare(LedgerKind.server.open(in: folder), seed: seed)
  }

  @Test func `a ledger works through PgBouncer in transaction mode`() throws {
    let server = try PostgreSQLServer.shared.get()
    let name = URL(fileURLWithPath: try server.makeDatabase()).lastPathComponent
    let pooler = try server.startPooler()
    defer { pooler.process.destroy() }
    let folder = try TemporaryDirectory()
    let address = try ServerAddress.test(
      "postgresql:///\(name)?user=sheaf&host=\(pooler.folder)&port=6432")
    try compare(Ledger(at: address, data: folder.path), seed: 99)
  }

  /// Applies a history to a ledger and to one in SQLite, and compares them.
  private func compare(_ ledger: any FarmLedger, seed: UInt64) throws {
    let ledgers: [any FarmLedger] = [try Ledger(.memory), ledger]
    var history = LedgerHistory(seed: seed)
    var (done, refused) = (0, 0)
    for number in 0..<300 {
      let step = try history.next()
      let results = ledgers.map { ledger in Result { try step(ledger) }.problem }
      #expect(results[0] == results[1], "step \(number)")
      if results[0] == nil { done += 1 } else { refused += 1 }
      if number % 10 == 9 {
        let answers = try ledgers.map { try history.answers(of: $0) }
        for (expected, found) in zip(answers[0], answers[1]) {
          try #require(expected == found, "after step \(number)")
        }
      }
    }
    #expect(done > 100 && refused > 20, "\(done) steps, \(refused) refused")
    for ledger in ledgers { ledger.close() }
  }
}

extension Result where Success == Void, Failure == any Error {
  /// The kind of failure, without the database's message.
  fileprivate var problem: String? {
    guard case .failure(let error) = self else { return nil }
    switch error {
    case let error as TransitionError: return "transition \(error.index): \(error.cause.code)"
    case let error as LedgerError: return "\(error.code)"
    default: return "\(type(of: error))"
    }
  }
}
