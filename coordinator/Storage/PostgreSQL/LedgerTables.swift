import PostgreSQL
import SQL
import SQLite

/// The tables of a ledger, which are the same in every database.
package enum LedgerTables {
  /// Every table, after those that it refers to.
  package static let names = [
    "plans", "jobs", "workers", "deliveries", "segments", "attempts", "attempt_logs", "failures",
    "held_chunks", "kept_chunks", "chunk_concealments", "concealment_summaries", "lost_outputs",
    "lost_segments", "job_blobs", "leased_assets", "fetched_assets", "shared_assets",
    "asset_owners", "distrusted_workers", "notifications", "recordings", "recording_parts",
    "recording_fragments", "recording_excerpts",
  ]

  /// The columns that number the rows of tables.
  static let numbers = [
    ("jobs", "number"), ("workers", "number"), ("deliveries", "id"), ("failures", "id"),
    ("notifications", "number"), ("recordings", "number"),
  ]

  /// The columns of a table of SQLite, in order.
  static func columns(of table: String, in database: Database) throws -> [String] {
    try database.rows("SELECT name FROM pragma_table_info(?1) ORDER BY cid", table) {
      try $0.get("name")
    }
  }

  /// Copies all rows of an SQLite ledger into the empty tables of a PostgreSQL one, in its transaction.
  ///
  /// - Returns: the number of rows.
  static func copy(_ source: Database, to target: Connection) throws -> Int {
    var count = 0
    for table in names {
      let columns = try columns(of: table, in: source)
      var batch = InsertBatch(into: table, columns, mark: "$")
      try source.each("SELECT \(columns.joined(separator: ", ")) FROM \(table)", bind: []) { row in
        let values = try columns.map { try row.get($0, as: Value.self).withoutNUL }
        count += 1
        if batch.add(values) { try batch.write { try target.run($0, bind: $1) } }
      }
      try batch.write { try target.run($0, bind: $1) }
    }
    for (table, column) in numbers {
      try target.run(
        """
        SELECT setval(pg_get_serial_sequence($1, $2), greatest(1, (
          SELECT max(\(column)) FROM \(table))), EXISTS (SELECT 1 FROM \(table)))
        """, table, column)
    }
    return count
  }

  /// Copies all rows of a PostgreSQL ledger into the empty tables of an SQLite one. Both have an open transaction.
  ///
  /// - Returns: the number of rows.
  static func copy(_ source: Connection, to target: Database) throws -> Int {
    var count = 0
    for table in names {
      let columns = try columns(of: table, in: target)
      var batch = InsertBatch(into: table, columns, mark: "?")
      try source.execute(
        "DECLARE moved CURSOR FOR SELECT \(columns.joined(separator: ", ")) FROM \(table)")
      var isAtEnd = false
      while !isAtEnd {
        isAtEnd = true
        try source.each("FETCH 500 FROM moved", bind: []) { row in
          isAtEnd = false
          count += 1
          let values = try columns.map { try row.get($0, as: Value.self) }
          if batch.add(values) { try batch.write { try target.run($0, bind: $1) } }
        }
      }
      try source.execute("CLOSE moved")
      try batch.write { try target.run($0, bind: $1) }
    }
    return count
  }
}

/// Rows that are inserted with one statement.
private struct InsertBatch {
  private let head: String
  private let width: Int
  private let mark: String
  private var values: [Value] = []
  private var byteCount = 0

  /// A statement of this length in bytes is long enough.
  private static let byteLimit = 4 << 20
  /// Both databases allow more parameters.
  private static let valueLimit = 20_000

  init(into table: String, _ columns: [String], mark: String) {
    head = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
    width = columns.count
    self.mark = mark
  }

  /// Adds a row. Returns whether the batch should be written.
  mutating func add(_ row: [Value]) -> Bool {
    values += row
    byteCount += row.reduce(0) { $0 + $1.byteCount }
    return byteCount >= Self.byteLimit || values.count + width > Self.valueLimit
  }

  /// Writes the rows, if there are any.
  mutating func write(_ run: (String, [any Storable]) throws -> Void) throws {
    guard !values.isEmpty else { return }
    let rows = stride(from: 0, to: values.count, by: width).map { start in
      "(" + (1...width).map { "\(mark)\(start + $0)" }.joined(separator: ", ") + ")"
    }
    try run(head + rows.joined(separator: ", "), values)
    (values, byteCount) = ([], 0)
  }
}

extension Value {
  /// The approximate size in bytes.
  fileprivate var byteCount: Int {
    switch self {
    case .null, .integer, .real: 8
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    }
  }

  /// The value as PostgreSQL can store it: it does not allow the character U+0000 in text.
  var withoutNUL: Value {
    guard case .text(let text) = self, text.utf8.contains(0) else { return self }
    return .text(text.replacing("\0", with: "\u{FFFD}"))
  }
}
