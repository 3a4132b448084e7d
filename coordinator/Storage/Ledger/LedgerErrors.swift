import SQLite

/// The error for a ledger that fails its test.
struct LedgerDamage: Error {
  /// The first problem.
  let problem: String
}

/// A transition that the ledger refused, among those that were to be written.
struct TransitionError: Error, CustomStringConvertible {
  /// Its place among them.
  let index: Int
  /// The database's error.
  let cause: SQLiteError

  var description: String { "\(cause)" }
}
