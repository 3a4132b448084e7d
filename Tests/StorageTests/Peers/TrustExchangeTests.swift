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
    try Migrator(Migration.postgreSQL).migrate(Connection(to: address))
  }

  private func exchange(_ name: String) -> TrustExchange {
    TrustExchange(data: directory.path(name), ledger: address, log: Log(.quiet) { _ in })
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
    for one in versions {
      #expect(TokenRecord.merging(one, one) == one)
      for other in versions {
        let merged = TokenRecord.merging(one, other)
        #expect(merged == TokenRecord.merging(other, one))
        #expect(merged.isActive == (one.isActive && other.isActive))
        for third in versions {
          #expect(
            TokenRecord.merging(merged, third)
              == TokenRecord.merging(one, TokenRecord.merging(other, third)))
        }
      }
    }
    // Both revocations must have kept the chunks.
    #expect(TokenRecord.merging(versions[2], versions[4]).keepsChunks == true)
    #expect(TokenRecord.merging(versions[1], versions[4]).keepsChunks == nil)
  }
}
