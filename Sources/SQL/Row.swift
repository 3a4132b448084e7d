/// The result of a statement, positioned at one row.
public protocol RowSource: AnyObject {
  /// The text of the statement.
  var sql: String { get }
  /// The number of columns.
  var columnCount: Int { get }

  /// The number of the column called `name`, from 0; `nil` if there is none.
  func column(named name: String) -> Int?

  /// The value of a column of the current row.
  ///
  /// - Parameter column: the column's number, which must be valid.
  func value(at column: Int) -> Value
}

/// The current row of a statement; valid only within the closure that receives it.
public struct Row: ~Copyable {
  private let source: any RowSource

  /// The row at which `source` is positioned.
  public init(_ source: some RowSource) {
    self.source = source
  }

  /// The value of the column called `name`.
  ///
  /// - Throws: ``MismatchError`` if the column does not exist or its value is not a `T`.
  public borrowing func get<T: Storable>(_ name: String, as type: T.Type = T.self)
    throws(MismatchError) -> T
  {
    guard let column = source.column(named: name) else {
      throw MismatchError("there is no column '\(name)'", sql: source.sql)
    }
    return try read(column, called: "'\(name)'")
  }

  /// The value of the column numbered `index`, from 0.
  ///
  /// - Throws: ``MismatchError`` if the column does not exist or its value is not a `T`.
  public borrowing func get<T: Storable>(_ index: Int, as type: T.Type = T.self)
    throws(MismatchError) -> T
  {
    guard index >= 0, index < source.columnCount else {
      throw MismatchError("there is no column \(index)", sql: source.sql)
    }
    return try read(index, called: "\(index)")
  }

  private borrowing func read<T: Storable>(_ column: Int, called name: String)
    throws(MismatchError) -> T
  {
    do {
      return try T(sqlValue: source.value(at: column))
    } catch {
      throw MismatchError("column \(name): \(error.message)", sql: source.sql)
    }
  }
}
