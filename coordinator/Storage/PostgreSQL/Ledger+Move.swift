import Crypto
import Foundation
import PostgreSQL
import SQL
import SQLite

extension Ledger {
  /// Copies this SQLite ledger, which nothing else may use, to a PostgreSQL database, which then belongs to a data
  /// directory.
  ///
  /// - Parameter owner: the identity that the data directory will have.
  /// - Returns: the number of rows.
  /// - Throws: ``StorageError`` if the database has a ledger that a coordinator has used, or of another directory.
  func move(to address: ServerAddress, of owner: OwnerRecord) throws -> Int {
    let target = try Self.connect(to: address)
    return try Self.reporting(address) {
      try Migrator(Migration.postgreSQL).migrate(target)
      return try target.transaction {
        let found = try target.first("SELECT epoch, directory FROM ledger_owner FOR UPDATE") {
          (epoch: try $0.get("epoch") as Int, directory: try $0.get("directory") as String)
        }
        // A copy that was interrupted before it took effect was never used.
        guard let found, found.epoch == 0,
          found.directory == "" || owner.attempts?.contains(found.directory) == true
        else {
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

  /// Moves the ledger in a PostgreSQL database to SQLite in the data directory that it belongs to.
  ///
  /// - Parameters:
  ///   - owner: the directory's record.
  ///   - publish: gives the new ledger at a path its place.
  /// - Returns: the number of rows.
  static func moveBack(
    from address: ServerAddress, to directory: DataDirectory, _ owner: OwnerRecord,
    publish: (_ path: String) throws -> Void
  ) throws -> Int {
    let fresh = "\(directory.uploads)/ledger-\(SecureRandom.token(bytes: 6))"
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(fresh + suffix) } }
    let source = try connect(to: address)
    try assureSchema(of: source, at: address)
    return try reporting(address) {
      let retired = LedgerOwnership.moved + owner.directory
      var owner = owner
      let earlier = try owner.addClaim(in: directory.path)
      // The claim keeps coordinators with copies of the directory from writing meanwhile. After an interruption, the
      // ledger may be retired already; in any other state, it was moved from another copy of the directory.
      let ownership = try LedgerOwnership(
        of: source, by: owner, after: earlier, at: address,
        replacing: owner.state == .returning ? [retired] : []
      ) { _ in }
      defer { ownership.release(source) }
      let rows = try source.transaction(PostgreSQLLedgerDatabase.reading) {
        try write(source, to: fresh)
      }
      try StagedFile.bringToDisk(fresh)
      // From here on, no coordinator uses the database. If this is interrupted, the move can be repeated.
      owner.state = .returning
      try owner.write(in: directory.path)
      try ownership.retire(source, as: retired)
      try publish(fresh)
      return rows
    }
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
