import Crypto
import Foundation
import PostgreSQL
import SQL
import SQLite

extension Ledger {
  /// Copies this SQLite ledger to a PostgreSQL database, which then belongs to the data directory at `data`.
  ///
  /// - Returns: the number of rows.
  /// - Throws: ``StorageError`` if the database has a ledger that a coordinator has used.
  func move(to address: ServerAddress, of data: String) throws -> Int {
    let target = try Self.connect(to: address)
    return try Self.reporting(address) {
      try Migrator(Migration.postgreSQL).migrate(target)
      let owner = try OwnerRecord.addClaim(in: data)
      return try target.transaction {
        // A copy that was interrupted before the file was renamed was never used.
        let isUnused = try target.first(
          "SELECT epoch = 0 AS is_unused FROM ledger_owner FOR UPDATE"
        ) { try $0.get("is_unused") as Bool }
        guard isUnused == true else {
          throw StorageError(
            .inUse,
            "the database \(address) already has a ledger: create it anew, or use another one")
        }
        try target.execute("TRUNCATE \(LedgerTables.names.joined(separator: ", "))")
        let rows = try LedgerTables.copy(connection, to: target)
        try target.run("UPDATE ledger_owner SET directory = $1", owner.directory)
        return rows
      }
    }
  }

  /// Copies the ledger in a PostgreSQL database to SQLite in the data directory that it belongs to.
  ///
  /// - Returns: the number of rows.
  static func moveBack(from address: ServerAddress, to directory: DataDirectory) throws -> Int {
    guard try OwnerRecord.exists(in: directory.path) else {
      throw StorageError(
        .unreadable, "no ledger in a PostgreSQL database belongs to \(directory.path)")
    }
    let fresh = "\(directory.uploads)/ledger-\(SecureRandom.token(bytes: 6))"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(fresh + suffix) } }
    let source = try connect(to: address)
    try assureSchema(of: source, at: address)
    let rows = try reporting(address) {
      // The claim keeps coordinators with copies of the directory from writing meanwhile.
      let ownership = try LedgerOwnership(
        of: source, by: OwnerRecord.addClaim(in: directory.path), at: address, mayBeNew: false
      ) { _ in }
      defer { ownership.release(source) }
      let rows = try source.transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        try write(source, to: fresh)
      }
      try StagedFile.bringToDisk(fresh)
      try StagedFile.publish(fresh, as: directory.ledger)
      try source.run("UPDATE ledger_owner SET directory = $1", LedgerOwnership.moved)
      return rows
    }
    try OwnerRecord.remove(in: directory.path)
    return rows
  }

  /// Writes the rows of a PostgreSQL ledger to a new SQLite ledger at `path`, and tests it.
  private static func write(_ source: Connection, to path: String) throws -> Int {
    do {
      let database = try Database(.file(path), startsLog: false)
      try prepare(database)
      let rows = try database.transaction { try LedgerTables.copy(source, to: database) }
      if let problem = try database.problems().first {
        throw StorageError(.damaged, "the copy of the ledger is damaged: \(problem)")
      }
      try database.endLog()
      return rows
    } catch let error as SQLiteError {
      throw LedgerError(error)
    }
  }
}
