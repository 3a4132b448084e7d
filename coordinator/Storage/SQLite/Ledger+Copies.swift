import SQLite

extension Ledger {
  /// Writes a consistent copy to a new file, while others may write to the ledger. The caller has to bring it to disk.
  func copy(to path: String) throws {
    do throws(SQLiteError) { try connection.copy(to: path) } catch { throw LedgerError(error) }
  }

  /// Opens the ledger in a file without its log, so that the file has everything, calls `body` with it, and closes it.
  ///
  /// - Throws: ``StorageError/Code/inUse`` if another program is reading the ledger.
  static func withoutLog<Value>(_ file: String, _ body: (Ledger) throws -> Value) throws -> Value {
    let ledger = try Ledger(.file(file))
    defer { ledger.close() }
    do throws(SQLiteError) {
      try ledger.connection.checkpoint()
      try ledger.connection.endLog()
    } catch {
      guard error.code == .busy else { throw LedgerError(error) }
      throw StorageError(
        .inUse, "another program is reading the ledger \(file): wait until it has ended")
    }
    return try body(ledger)
  }

  /// Tests the ledger at `path`, which nothing else uses, migrates it to the current schema and merges its log.
  ///
  /// - Throws: ``LedgerDamage`` if it is not a sound ledger; ``LedgerError``.
  static func prepare(copyAt path: String) throws {
    guard let version = DatabaseHeader(of: path)?.schemaVersion, version > 0 else {
      throw LedgerDamage(problem: "it is not a ledger of sheaf-coordinator")
    }
    do {
      let connection = try Database(.file(path), startsLog: false)
      try prepare(connection)
      try connection.endLog()
    } catch let error as SQLiteError {
      throw LedgerError(error)
    }
  }
}
