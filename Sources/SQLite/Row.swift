import CSQLite

/// The current row of a statement; valid only within the closure that receives it.
public struct Row: ~Copyable {
  private let statement: Statement

  init(_ statement: Statement) {
    self.statement = statement
  }

  /// The value of the column called `name`.
  ///
  /// - Throws: ``SQLiteError/Code/typeMismatch`` if the column does not exist or its value is not a `T`.
  public borrowing func get<T: Storable>(_ name: String, as type: T.Type = T.self)
    throws(SQLiteError) -> T
  {
    try read(statement.column(named: name), called: "'\(name)'")
  }

  /// The value of the column numbered `index`, from 0.
  ///
  /// - Throws: ``SQLiteError/Code/typeMismatch`` if the column does not exist or its value is not a `T`.
  public borrowing func get<T: Storable>(_ index: Int, as type: T.Type = T.self)
    throws(SQLiteError) -> T
  {
    guard index >= 0, index < Int(sqlite3_column_count(statement.handle)) else {
      throw SQLiteError(.typeMismatch, "there is no column \(index)", sql: statement.sql)
    }
    return try read(Int32(index), called: "\(index)")
  }

  private borrowing func read<T: Storable>(_ index: Int32, called name: String)
    throws(SQLiteError) -> T
  {
    do {
      return try T(sqlValue: value(at: index))
    } catch {
      throw SQLiteError(.typeMismatch, "column \(name): \(error.message)", sql: statement.sql)
    }
  }

  private borrowing func value(at index: Int32) -> Value {
    let handle = statement.handle
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER:
      return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT:
      return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(handle, index)
      let count = Int(sqlite3_column_bytes(handle, index))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, index)
      let count = Int(sqlite3_column_bytes(handle, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default:
      return .null
    }
  }
}
