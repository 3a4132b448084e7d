import SQLite

/// Reads an open ledger through a second connection.
private struct SecondConnection: LedgerSnapshot {
  let path: String

  /// Runs `read`, which sees the ledger as it is at the first query.
  func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value {
    let ledger = try Ledger(besideWriterOf: path)
    return try ledger.snapshot { try read(ledger) }
  }
}

extension Ledger {
  /// A snapshot of this ledger; `nil` if the ledger is in memory, because it then has only one connection.
  package var snapshot: (any LedgerSnapshot)? {
    guard case .file(let path) = database.location else { return nil }
    return SecondConnection(path: path)
  }
}
