import SQLite

/// Reads an open ledger through a second connection, on any thread. The first connection may write meanwhile.
struct LedgerSnapshot: Sendable {
  fileprivate let path: String

  /// Runs `read`, which sees the ledger as it is at the first query.
  func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value {
    let ledger = try Ledger(besideWriterOf: path)
    return try ledger.snapshot { try read(ledger) }
  }
}

extension Ledger {
  /// A snapshot of this ledger; `nil` if the ledger is in memory, because it then has only one connection.
  var snapshot: LedgerSnapshot? {
    guard case .file(let path) = database.location else { return nil }
    return LedgerSnapshot(path: path)
  }
}
