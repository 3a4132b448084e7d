import SQL
import SQLite

/// A ledger's SQLite database.
final class SQLiteLedgerDatabase: LedgerDatabase {
  let connection: Database
  /// The temporary copy that is read if the ledger could not be read in place.
  private let copy: LedgerCopy?

  init(_ connection: Database, copy: LedgerCopy? = nil) {
    self.connection = connection
    self.copy = copy
  }

  let dialect = LedgerDialect(
    elements: { "json_each(\($0)) AS \($1)" }, contains: { "instr(\($0), \($1)) > 0" },
    using: { "INDEXED BY \($0)" })

  /// Runs `body`, and turns SQLite's errors into errors of the ledger.
  private func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw LedgerError(error)
    } catch let error as MismatchError {
      throw LedgerError(error)
    }
  }

  func run(_ sql: String, bind values: [any Storable]) throws {
    _ = try change(sql, bind: values)
  }

  func change(_ sql: String, bind values: [any Storable]) throws -> Int {
    try translating { try connection.run(sql, bind: values) }
  }

  func each(
    _ sql: String, bind values: [any Storable], do body: (borrowing Row) throws -> Void
  ) throws {
    try translating { try connection.each(sql, bind: values, do: body) }
  }

  func first<T>(
    _ sql: String, bind values: [any Storable], as row: (borrowing Row) throws -> T
  ) throws -> T? {
    try translating { try connection.first(sql, bind: values, as: row) }
  }

  func transaction<T>(_ body: () throws -> T) throws -> T {
    try translating { try connection.transaction(body) }
  }

  func probe() throws {
    try transaction {
      try translating { try connection.execute("PRAGMA user_version = \(Migration.ledger.count)") }
    }
  }

  func problems() throws -> [String] {
    try translating { try connection.problems() }
  }

  /// Merges the log into the database, if the disk allows that and no other process reads the ledger.
  func close() {
    try? connection.checkpoint()
    try? connection.endLog()
  }
}
