import Foundation
import Processes
import SQL
import SQLite

extension Ledger {
  /// The location of a ledger in SQLite.
  package enum Location: Hashable, Sendable {
    /// In a file, which is created if it is missing.
    case file(String)
    /// In memory, for as long as it is open.
    case memory
  }

  /// Opens the ledger in SQLite, migrates it to the current schema, and tests it. A ledger that fails the test is not
  /// changed.
  ///
  /// Commits write only to the log; another thread merges the log into the database.
  ///
  /// - Parameter isDurable: whether commits wait for the disk.
  package convenience init(_ location: Location, isDurable: Bool = true) throws {
    if case .file(let path) = location { try LedgerLog.assure(of: path) }
    do {
      // No other process uses the ledger, so a lock that is held longer is reported as a failure.
      let connection = try Database(
        location.inSQLite, startsLog: false, isDurable: isDurable, busyTimeout: .seconds(1))
      try Self.prepare(connection)
      try connection.startLog()
      // On a full disk, the log keeps its size.
      try? connection.checkpoint()
      connection.mergeLogOnOwnThread()
      self.init(SQLiteLedgerDatabase(connection), data: location.folder)
    } catch let damage as LedgerDamage {
      throw StorageError.damagedLedger(location, damage.problem)
    } catch let error as SQLiteError {
      throw Self.openingError(LedgerError(error), location)
    }
  }

  private static func openingError(
    _ error: LedgerError, _ location: Location
  ) -> any Error {
    if error.isDamage { return StorageError.damagedLedger(location, error.message) }
    return error.isPassing ? StorageError.closedLedger(location, error.message) : error
  }

  /// Opens the ledger of the data directory at `path` for reading, whether or not a coordinator is using it.
  ///
  /// A ledger with an older schema, or with a log on a disk that cannot be written, is read from a copy.
  ///
  /// - Throws: ``StorageError`` if there is no ledger, it cannot be read, or a newer program wrote it.
  package convenience init(reading path: String) throws {
    TemporaryFolder.sweep(.ledger)
    let file = DataDirectory.ledger(in: path)
    guard FileFacts.byteCount(at: file) != nil else {
      throw StorageError(
        .unreadable, "there is no ledger: \(file): specify a coordinator's data directory")
    }
    try LedgerLog.assure(of: file)
    let database: SQLiteLedgerDatabase
    do {
      if let connection = try Self.openInPlace(file) {
        database = SQLiteLedgerDatabase(connection)
      } else {
        let copy = try LedgerCopy(of: file, in: path)
        let connection = try Database(.file(copy.path), startsLog: false)
        try Migrator(Migration.ledger).migrate(connection)
        database = SQLiteLedgerDatabase(connection, copy: copy)
      }
    } catch let error as SQLiteError {
      let error = LedgerError(error)
      guard error.isDamage else { throw error }
      throw StorageError.damagedLedger(.file(file), error.message)
    }
    self.init(database, data: path)
  }

  /// A connection that reads the ledger in place, or `nil` if that is impossible or its schema is older.
  private static func openInPlace(_ file: String) throws -> Database? {
    do {
      let database = try Database(.file(file), access: .readOnly)
      let version = try database.schemaVersion()
      guard version <= Migration.ledger.count else {
        throw StorageError(
          .unreadable,
          "\(file): its schema is version \(version), but this program's is "
            + "\(Migration.ledger.count): use a newer sheaf-coordinator")
      }
      return version == Migration.ledger.count ? database : nil
    } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
      return nil
    }
  }

  /// Migrates a ledger to the current schema and tests it, in one transaction.
  ///
  /// The migrations come first, because the test may report a problem that one of them repairs.
  ///
  /// - Throws: ``LedgerDamage`` if the ledger fails the test; the ledger stays unchanged.
  static func prepare(_ database: Database) throws {
    try Migrator(Migration.ledger).migrate(database) { database in
      if let problem = try database.problems().first {
        throw LedgerDamage(problem: problem)
      }
    }
  }
}

extension Ledger {
  /// The connection to the ledger's SQLite database. Fails if the ledger is in another database.
  package var connection: Database {
    guard let database = database as? SQLiteLedgerDatabase else {
      preconditionFailure("the ledger is not in SQLite")
    }
    return database.connection
  }
}

extension Ledger.Location {
  /// The data directory of a ledger in a file.
  var folder: String? {
    guard case .file(let path) = self else { return nil }
    return URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  /// The location as SQLite's wrapper names it.
  fileprivate var inSQLite: Database.Location {
    switch self {
    case .file(let path): .file(path)
    case .memory: .memory
    }
  }
}
