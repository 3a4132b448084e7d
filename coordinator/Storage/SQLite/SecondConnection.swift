import SQLite

/// Reads the ledger in a file through another connection.
private struct SecondConnection: LedgerSnapshot {
  let path: String

  func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value {
    // This process must not read the file in any other way: closing a file releases the POSIX locks that SQLite holds on
    // it for the first connection.
    let connection: Database
    do throws(SQLiteError) {
      connection = try Database(.file(path), access: .readOnly)
      try connection.execute("BEGIN")
    } catch {
      throw LedgerError(error)
    }
    defer { try? connection.execute("COMMIT") }
    return try read(
      Ledger(SQLiteLedgerDatabase(connection), data: Ledger.Location.file(path).folder))
  }
}

extension SQLiteLedgerDatabase {
  var snapshot: (any LedgerSnapshot)? {
    guard case .file(let path) = connection.location else { return nil }
    return SecondConnection(path: path)
  }
}
