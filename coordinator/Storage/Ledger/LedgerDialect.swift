/// The expressions that differ between the databases of ledgers. Each database defines its own dialect.
struct LedgerDialect: Sendable {
  /// A table with the elements of a JSON array of texts, in the columns `key` (their positions) and `value`.
  ///
  /// Its arguments are the parameter with the array, and the name of the table.
  let elements: @Sendable (_ array: String, _ name: String) -> String
  /// Whether bytes contain others, as a condition. Its arguments are expressions of both.
  let contains: @Sendable (_ bytes: String, _ part: String) -> String
  /// The clause after a table's name that makes a query use an index; empty if the database chooses the index itself.
  let using: @Sendable (_ index: String) -> String
}
