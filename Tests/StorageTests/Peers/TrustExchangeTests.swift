import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import SQL
import Support
import Testing
import sheaf_coordinator

/// The exchange of tokens and forgotten chunks between data directories.
@Suite(.mayBlock) struct TrustExchangeTests {
  private let address: ServerAddress
  private let directory: TemporaryDirectory

  init() throws {
    address = try ServerAddress.test(PostgreSQLServer.shared.get().makeDatabase())
    directory = try TemporaryDirectory()
    let connection = try Connection(to: address)
    try Migrator(Migration.postgreSQL).migrate(connection)
    try connection.execute("UPDATE ledger_owner SET directory = 'farm'")
    for name in ["a", "b", "c"] { try join(name, "farm") }
  }

  /// Makes a data directory a member of a farm.
  private func join(_ name: String, _ farm: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory.path(name), withIntermediateDirectories: true)
    try #"[{"directory": "\#(farm)", "state": "away", "claims": []}]"#
      .write(
        toFile: directory.path("\(name)/ledger-owner.json"), atomically: true, encoding: .utf8)
  }

  private func exchange(_ name: String) -> TrustExchange {
    TrustExchange(data: directory.path(name), ledger: address)
  }

  private func tokens(_ name: String) -> TokenFile { TokenFile(data: directory.path(name)) }

  @Test func `the files of all directories become the same`() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let names = ["a", "b", "c"]
    for name in names {
      _ = try tokens(name).create(role: .worker, name: "of-\(name)", at: date)
      try ForgetFile(data: directory.path(name)).update {
        $0.append(ChunkSelection(worker: "worker-\(name)", since: date))
      }
    }
    // The last ones learn of the first ones, and the first ones later of the last ones.
    for name in names + names { try exchange(name).merge() }
    for name in names {
      let records = try tokens(name).records()
      #expect(records.first?.name == "of-\(name)", "its own records come first")
      #expect(Set(records) == Set(try tokens("a").records()))
      #expect(records.count == 3)
      let forgotten = try ForgetFile(data: directory.path(name)).records()
      #expect(Set(forgotten.compactMap(\.worker)) == ["worker-a", "worker-b", "worker-c"])
    }
    // A token that is revoked anywhere stays revoked.
    _ = try tokens("b").revoke(idOrName: "of-a", at: date + 5)
    for name in ["a", "b", "a", "c"] { try exchange(name).merge() }
    for name in names {
      let record = try tokens(name).records().first { $0.name == "of-a" }
      #expect(record?.revokedAt == date + 5)
    }
  }

  @Test func `tokens of another farm are not mixed in`() throws {
    _ = try tokens("a").create(role: .admin, name: "own", at: Date())
    try exchange("a").merge()
    try join("foreign", "other farm")
    for name in ["foreign", "unused"] {
      _ = try tokens(name).create(role: .admin, name: "strange", at: Date())
      try exchange(name).merge()
      #expect(try tokens(name).records().map(\.name) == ["strange"])
    }
    try exchange("a").merge()
    #expect(try tokens("a").records().map(\.name) == ["own"])
  }

  @Test func `merged tokens do not depend on the order`() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let active = TokenRecord.make(role: .worker, name: "rack", at: date).record
    let versions = [(nil, nil), (1.0, nil), (1.0, true), (2.0, nil), (2.0, true)].map {
      (seconds: Double?, keeps: Bool?) in
      var record = active
      record.revokedAt = seconds.map { date + $0 }
      record.keepsChunks = keeps
      return record
    }
    let renamed = TokenRecord.make(role: .admin, name: "edited", at: date).record
    #expect(
      TokenRecord.reconciling(renamed, versions[1]) == TokenRecord.reconciling(versions[1], renamed)
    )
    #expect(
      TokenRecord.reconciling(renamed, versions[0]) == TokenRecord.reconciling(versions[0], renamed)
    )
    for one in versions {
      #expect(TokenRecord.reconciling(one, one) == one)
      for other in versions {
        let merged = TokenRecord.reconciling(one, other)
        #expect(merged == TokenRecord.reconciling(other, one))
        #expect(merged.isActive == (one.isActive && other.isActive))
        for third in versions {
          #expect(
            TokenRecord.reconciling(merged, third)
              == TokenRecord.reconciling(one, TokenRecord.reconciling(other, third)))
        }
      }
    }
    // Both revocations must have kept the chunks.
    #expect(TokenRecord.reconciling(versions[2], versions[4]).keepsChunks == true)
    #expect(TokenRecord.reconciling(versions[1], versions[4]).keepsChunks == nil)
  }
}
