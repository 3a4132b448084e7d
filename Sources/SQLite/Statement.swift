import CSQLite
import SQL

/// A prepared statement of one database, reset and reused between runs.
public final class Statement {
  /// The text of the statement.
  public let sql: String
  private let connection: OpaquePointer
  let handle: OpaquePointer
  /// Column numbers by name, filled at the first lookup.
  private var columns: [String: Int] = [:]

  /// Prepares the single statement in `sql`.
  init(_ sql: String, connection: OpaquePointer) throws(SQLiteError) {
    var handle: OpaquePointer?
    var rest = ""
    var text = sql
    let result = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let result = sqlite3_prepare_v3(
          connection, characters.baseAddress, Int32(characters.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
        if let tail, let start = characters.baseAddress {
          rest = String(decoding: bytes[(tail - start)...], as: UTF8.self)
        }
        return result
      }
    }
    guard result == SQLITE_OK else {
      throw SQLiteError(of: connection, result: result, sql: sql)
    }
    guard let handle else {
      throw SQLiteError(.other, "there is no statement to prepare", sql: sql)
    }
    self.sql = sql
    self.connection = connection
    self.handle = handle
    guard rest.allSatisfy(\.isWhitespace) else {
      throw SQLiteError(.other, "only one statement can be prepared; use execute", sql: sql)
    }
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// The result of one step.
  enum Step {
    case row
    case done
  }

  /// Binds `values` to the parameters `?1`, `?2`, …, whose number must match.
  func bind(_ values: [any Storable]) throws(SQLiteError) {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw SQLiteError(
        .other, "the statement has \(expected) parameters, not \(values.count)", sql: sql)
    }
    for (position, value) in values.enumerated() {
      let result = bind(value.sqlValue, at: Int32(position + 1))
      guard result == SQLITE_OK else { throw error(result) }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(handle, index)
    case .integer(let number):
      return sqlite3_bind_int64(handle, index, number)
    case .real(let number):
      return sqlite3_bind_double(handle, index, number)
    case .text(let text):
      return text.withCString {
        sheaf_sqlite3_bind_text(handle, index, $0, UInt64(text.utf8.count))
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes {
        $0.isEmpty
          ? sqlite3_bind_zeroblob(handle, index, 0)
          : sheaf_sqlite3_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  func step() throws(SQLiteError) -> Step {
    let result = sqlite3_step(handle)
    switch result {
    case SQLITE_ROW: return .row
    case SQLITE_DONE: return .done
    default: throw error(result)
    }
  }

  /// Makes the statement ready for its next run, and clears its bindings.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Whether the statement is running, further up the call stack.
  var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  private func error(_ result: Int32) -> SQLiteError {
    SQLiteError(of: connection, result: result, sql: sql)
  }
}

extension Statement: RowSource {
  /// The number of columns; 0 if the statement returns no rows.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The number of the column called `name`, from 0; `nil` if there is none.
  public func column(named name: String) -> Int? {
    if columns.isEmpty {
      for index in 0..<sqlite3_column_count(handle) {
        guard let name = sqlite3_column_name(handle, index) else { continue }
        columns[String(cString: name)] = Int(index)
      }
    }
    return columns[name]
  }

  /// The value of a column of the current row.
  public func value(at column: Int) -> Value {
    let index = Int32(column)
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
