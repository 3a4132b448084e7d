import SQL
import SQLite

extension LedgerError {
  /// Translates an error of the ledger's database.
  init(_ error: SQLiteError) {
    let code: Code =
      switch error.code {
      case .full: .full
      case .busy, .readOnly, .cannotOpen, .inputOutput: .passing
      case .constraint: .final
      case .corrupt, .notADatabase: .damaged
      default: .other
      }
    self.init(code, error.message, description: error.description)
  }

  /// Translates the error for a column that is not what the ledger expects.
  init(_ error: MismatchError) {
    self.init(.final, error.message, description: error.description)
  }
}
