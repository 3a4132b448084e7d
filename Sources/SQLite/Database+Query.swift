import SQL

extension Database {
  /// Runs `sql` with `values` bound to its parameters in order, and returns the number of rows that it changed.
  @discardableResult
  public func run(_ sql: String, _ values: any Storable...) throws(SQLiteError) -> Int {
    try run(sql, bind: values)
  }

  /// Runs `sql` with the list `values` bound to its parameters, and returns the number of rows that it changed.
  @discardableResult
  public func run(_ sql: String, bind values: [any Storable]) throws(SQLiteError) -> Int {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() == .row {}
    return changedRows
  }

  /// Calls `body` with each row of `sql`, in order.
  public func each(
    _ sql: String, _ values: any Storable..., do body: (borrowing Row) throws -> Void
  ) throws {
    try each(sql, bind: values, do: body)
  }

  /// Calls `body` with each row of `sql`, in order.
  public func each(
    _ sql: String, bind values: [any Storable], do body: (borrowing Row) throws -> Void
  ) throws {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() == .row { try body(Row(statement)) }
  }

  /// Every row of `sql`, converted by `row`.
  public func rows<T>(
    _ sql: String, _ values: any Storable..., as row: (borrowing Row) throws -> T
  ) throws -> [T] {
    var found: [T] = []
    try each(sql, bind: values) { found.append(try row($0)) }
    return found
  }

  /// The first row of `sql`, converted by `row`; `nil` if there are no rows.
  public func first<T>(
    _ sql: String, _ values: any Storable..., as row: (borrowing Row) throws -> T
  ) throws -> T? {
    try first(sql, bind: values, as: row)
  }

  /// The first row of `sql`, converted by `row`; `nil` if there are no rows.
  public func first<T>(
    _ sql: String, bind values: [any Storable], as row: (borrowing Row) throws -> T
  ) throws -> T? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step() == .row ? row(Row(statement)) : nil
  }

  /// The value that `PRAGMA name` returns; NULL if it returns nothing.
  func pragma(_ name: String) throws(SQLiteError) -> Value {
    let sql = "PRAGMA \(name)"
    let statement = try statement(sql)
    defer { statement.reset() }
    guard try statement.step() == .row else { return .null }
    return statement.value(at: 0)
  }
}
