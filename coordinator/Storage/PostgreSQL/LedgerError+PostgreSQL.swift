import PostgreSQL
import SQL

extension LedgerError {
  /// Translates an error of the ledger's database server.
  init(_ error: PostgreSQLError) {
    let code: Code =
      switch error.code {
      case .full: .full
      case .unreachable, .refused, .lost, .readOnly, .conflict, .cancelled: .passing
      case .constraint: .final
      default: .other
      }
    self.init(code, error.message, description: error.description)
  }
}
