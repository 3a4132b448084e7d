import SQLite

/// The SQLite database that stores a ledger. It throws ``LedgerError``, so that nothing outside `Storage` depends on
/// SQLite.
struct LedgerDatabase {
  let connection: Database

  var location: Database.Location { connection.location }

  /// Runs `body`, and turns SQLite's errors into errors of the ledger.
  private func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as SQLiteError { throw LedgerError(error) }
  }

  @discardableResult
  func run(_ sql: String, _ values: any Storable...) throws -> Int {
    try run(sql, bind: values)
  }

  @discardableResult
  func run(_ sql: String, bind values: [any Storable]) throws -> Int {
    try translating { try connection.run(sql, bind: values) }
  }

  func execute(_ script: String) throws {
    try translating { try connection.execute(script) }
  }

  func each(
    _ sql: String, _ values: any Storable..., do body: (borrowing Row) throws -> Void
  ) throws {
    try each(sql, bind: values, do: body)
  }

  func each(
    _ sql: String, bind values: [any Storable], do body: (borrowing Row) throws -> Void
  ) throws {
    try translating { try connection.each(sql, bind: values, do: body) }
  }

  func rows<T>(
    _ sql: String, _ values: any Storable..., as row: (borrowing Row) throws -> T
  ) throws -> [T] {
    var found: [T] = []
    try each(sql, bind: values) { found.append(try row($0)) }
    return found
  }

  func first<T>(
    _ sql: String, _ values: any Storable..., as row: (borrowing Row) throws -> T
  ) throws -> T? {
    try translating { try connection.first(sql, bind: values, as: row) }
  }

  func transaction<T>(_ body: () throws -> T) throws -> T {
    try translating { try connection.transaction(body) }
  }

  func checkpoint() throws {
    try translating { try connection.checkpoint() }
  }

  func endLog() throws {
    try translating { try connection.endLog() }
  }

  func problems() throws -> [String] {
    try translating { try connection.problems() }
  }

  func copy(to path: String) throws {
    try translating { try connection.copy(to: path) }
  }
}

extension Ledger.Location {
  /// The location as SQLite's wrapper names it.
  var inSQLite: Database.Location {
    switch self {
    case .file(let path): .file(path)
    case .memory: .memory
    }
  }
}
