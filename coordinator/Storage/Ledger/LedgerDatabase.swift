import SQL

/// The database that stores a ledger, with one connection that belongs to one thread at a time.
///
/// All databases run the same statements, with parameters `?1`, `?2`, …; ``LedgerDialect`` has the few expressions that
/// differ. A parameter that may be NULL first appears where its type is evident, as in `owner = ?1 OR ?1 IS NULL`.
/// Databases throw ``LedgerError``, so that nothing outside `Storage` depends on a database.
protocol LedgerDatabase: AnyObject {
  /// The expressions that differ between databases.
  var dialect: LedgerDialect { get }

  /// Runs a statement. In a transaction, a database on a server may run it later: before the next statement that returns
  /// something, and before the commit. These then throw the error of the statement.
  func run(_ sql: String, bind values: [any Storable]) throws

  /// Runs a statement, and returns the number of rows that it changed.
  func change(_ sql: String, bind values: [any Storable]) throws -> Int

  /// Runs all statements of the open transaction that have not run yet.
  func flush() throws

  /// Calls `body` with each row of a statement, in order.
  func each(
    _ sql: String, bind values: [any Storable], do body: (borrowing Row) throws -> Void
  ) throws

  /// The first row of a statement, converted by `row`; `nil` if there are no rows.
  func first<T>(
    _ sql: String, bind values: [any Storable], as row: (borrowing Row) throws -> T
  ) throws -> T?

  /// Runs `body` in one transaction, which commits if `body` returns and rolls back if it throws. Transactions do not
  /// nest.
  func transaction<T>(_ body: () throws -> T) throws -> T

  /// Makes a write that changes nothing, to find out whether the database can be written.
  func probe() throws

  /// Whether the database may become unreachable without a write that shows it.
  var isRemote: Bool { get }

  /// The problems in the database, one line each.
  func problems() throws -> [String]

  /// Reads the database on any thread while this connection writes; `nil` if only this connection can read it.
  var snapshot: (any LedgerSnapshot)? { get }

  /// The reasons why this process must not use the database any more; `nil` if there are none.
  var losses: AsyncStream<String>? { get }

  /// Whether this process certainly still owns the database. Can be called on any thread.
  var isOwned: @Sendable () -> Bool { get }

  /// The ledger's position; `nil` if the database cannot lose commits, or was opened for reading.
  var position: LedgerPosition? { get }

  func close()
}

extension LedgerDatabase {
  var losses: AsyncStream<String>? { nil }

  var isOwned: @Sendable () -> Bool { { true } }

  var isRemote: Bool { false }

  var position: LedgerPosition? { nil }

  func run(_ sql: String, _ values: any Storable...) throws {
    try run(sql, bind: values)
  }

  func change(_ sql: String, _ values: any Storable...) throws -> Int {
    try change(sql, bind: values)
  }

  func flush() {}

  func each(
    _ sql: String, _ values: any Storable..., do body: (borrowing Row) throws -> Void
  ) throws {
    try each(sql, bind: values, do: body)
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
    try first(sql, bind: values, as: row)
  }
}
