import SQL

extension Connection {
  /// Runs `sql` with values for its parameters `$1`, `$2`, …, and returns the number of rows that it changed.
  @discardableResult
  public func run(_ sql: String, _ values: any Storable...) throws(PostgreSQLError) -> Int {
    try run(sql, bind: values)
  }

  /// Runs `sql` with the list `values` for its parameters, and returns the number of rows that it changed.
  ///
  /// - Parameter earlier: statements that are sent together with it, and run before it.
  @discardableResult
  public func run(
    _ sql: String, bind values: [any Storable], after earlier: [Statement] = []
  ) throws(PostgreSQLError) -> Int {
    try query(sql, values, after: earlier)?.changedRows ?? 0
  }

  /// Runs statements that are sent together.
  public func run(_ statements: [Statement]) throws(PostgreSQLError) {
    _ = try query(statements)
  }

  /// Calls `body` with each row of `sql`, in order. The server has sent all rows before the first call.
  ///
  /// - Parameter earlier: statements that are sent together with it, and run before it.
  public func each(
    _ sql: String, bind values: [any Storable], after earlier: [Statement] = [],
    do body: (borrowing Row) throws -> Void
  ) throws {
    guard let result = try query(sql, values, after: earlier) else { return }
    for row in 0..<result.rowCount {
      result.row = row
      try body(Row(result))
    }
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
  ///
  /// - Parameter earlier: statements that are sent together with it, and run before it.
  public func first<T>(
    _ sql: String, bind values: [any Storable], after earlier: [Statement] = [],
    as row: (borrowing Row) throws -> T
  ) throws -> T? {
    guard let result = try query(sql, values, after: earlier), result.rowCount > 0 else {
      return nil
    }
    return try row(Row(result))
  }

  /// The result of `sql`, which is sent together with earlier statements.
  private func query(
    _ sql: String, _ values: [any Storable], after earlier: [Statement]
  ) throws(PostgreSQLError) -> QueryResult? {
    try query(earlier + [Statement(sql, bind: values)])
  }

  /// Runs `body` in one transaction, which commits if `body` returns and rolls back if it throws. Transactions do not
  /// nest: an inner one throws.
  ///
  /// - Parameter opening: the statements that begin it.
  /// - Throws: ``PostgreSQLError/Code/lost`` if the connection breaks. If it breaks at the end, the transaction may have
  ///   been committed.
  @discardableResult
  public func transaction<T>(
    _ opening: [Statement] = [Statement("BEGIN")], _ body: () throws -> T
  ) throws -> T {
    guard !isInTransaction else {
      throw PostgreSQLError(.other, "there is already a transaction")
    }
    do {
      try run(opening)
      let value = try body()
      try commit()
      return value
    } catch {
      // A failure to roll back must not hide the reason for it.
      if !isBroken, isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
