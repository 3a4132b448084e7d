import CPostgreSQL
import SQL

/// The complete result of a statement, positioned at one row.
final class QueryResult: RowSource {
  let sql: String
  let columnCount: Int
  let rowCount: Int
  /// The number of rows that the statement changed.
  let changedRows: Int
  /// The name of the command that ran: `COMMIT` becomes `ROLLBACK` if the transaction has failed.
  let command: String
  private let handle: OpaquePointer
  private let types: [TypeID]
  private var columns: [String: Int] = [:]
  /// The current row.
  var row = 0

  /// Takes over a result of libpq.
  ///
  /// - Throws: ``PostgreSQLError/Code/unsupported`` if a column has a type that cannot be read.
  init(_ handle: OpaquePointer, sql: String) throws(PostgreSQLError) {
    self.handle = handle
    self.sql = sql
    columnCount = Int(PQnfields(handle))
    rowCount = Int(PQntuples(handle))
    command = String(cString: PQcmdStatus(handle))
    changedRows = PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    var (types, unreadable): ([TypeID], String?) = ([], nil)
    for column in 0..<Int32(columnCount) {
      let name = PQfname(handle, column).map { String(cString: $0) } ?? ""
      columns[name] = Int(column)
      guard let type = TypeID(rawValue: PQftype(handle, column)) else {
        unreadable = "column '\(name)' has type \(PQftype(handle, column)) of pg_type"
        break
      }
      types.append(type)
    }
    self.types = types
    if let unreadable { throw PostgreSQLError(.unsupported, unreadable, sql: sql) }
    let numerics = types.indices.filter { types[$0] == .numeric }
    for row in 0..<rowCount {
      // Only these may not fit; the others are decoded when they are read.
      for column in numerics where decoded(row, column) == nil {
        throw PostgreSQLError(
          .unsupported, "row \(row + 1), column \(column + 1) does not fit in 64 bits", sql: sql)
      }
    }
  }

  deinit { PQclear(handle) }

  func column(named name: String) -> Int? { columns[name] }

  func value(at column: Int) -> Value { decoded(row, column) ?? .null }

  private func decoded(_ row: Int, _ column: Int) -> Value? {
    let (row, index) = (Int32(row), Int32(column))
    guard PQgetisnull(handle, row, index) == 0 else { return .null }
    return types[column].decode(
      UnsafeRawBufferPointer(
        start: PQgetvalue(handle, row, index), count: Int(PQgetlength(handle, row, index))))
  }
}
