import SQLite

/// A ledger failed its test.
struct LedgerDamage: Error {
  /// The first problem.
  let problem: String
}

/// The ledger refused one of the transitions that were to be written.
struct TransitionError: Error, CustomStringConvertible {
  /// The index of the refused transition.
  let index: Int
  /// The database's error.
  let cause: SQLiteError

  var description: String { "\(cause)" }
}
