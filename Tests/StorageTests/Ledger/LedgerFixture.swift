import CoordinatorSupport
import Foundation
import SQL
import SQLite
import Support

/// A ledger as the coordinator of a released schema wrote it: `../Fixtures/ledger-N.sql`.
struct LedgerFixture {
  /// The number of the last migration.
  let version: Int

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  var url: URL { Self.folder.appending(path: "ledger-\(version).sql") }

  /// Writes the ledger to a database file at `path`.
  func load(to path: String) throws {
    let database = try Database(.file(path))
    try database.execute(String(contentsOf: url, encoding: .utf8))
    try database.endLog()
  }

  /// Writes the fixture from a database.
  func write(_ database: Database) throws {
    var lines = ["PRAGMA foreign_keys = OFF;", "BEGIN;"]
    let schema = try database.schema()
    for table in schema where table.type == "table" {
      lines.append("\(table.sql);")
      lines += try Self.inserts(table.name, of: database)
    }
    lines += schema.filter { $0.type != "table" }.map { "\($0.sql);" }
    lines += ["DELETE FROM sqlite_sequence;"]
    lines += try Self.inserts("sqlite_sequence", of: database)
    lines += ["PRAGMA user_version = \(version);", "COMMIT;"]
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
  }

  private static func inserts(_ table: String, of database: Database) throws -> [String] {
    try database.tableRows(table).map { row in
      let values = row.sorted { $0.key.position < $1.key.position }.map { literal($0.value) }
      return "INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")));"
    }
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    // The blobs of a ledger are JSON or sequences of digests.
    case .blob(let bytes) where [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes.first):
      "CAST('\(String(decoding: bytes, as: UTF8.self).replacing("'", with: "''"))' AS BLOB)"
    case .blob(let bytes):
      "X'\(bytes.map { String(format: "%02x", $0) }.joined())'"
    }
  }
}

/// A column of a table.
struct Column: Hashable {
  let name: String
  let position: Int
  /// The position in the primary key, from 1; 0 if the column is not part of the key.
  let keyPosition: Int
}

/// A table or an index.
struct SchemaObject: Hashable {
  let type: String
  let name: String
  let sql: String
}

extension Database {
  /// The tables and indexes that migrations made.
  func schema() throws -> [SchemaObject] {
    try rows(
      """
      SELECT type, name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """
    ) { SchemaObject(type: try $0.get(0), name: try $0.get(1), sql: try $0.get(2)) }
  }

  /// The columns of a table, in order.
  func columns(of table: String) throws -> [Column] {
    try rows("PRAGMA table_info(\(table))") {
      Column(name: try $0.get("name"), position: try $0.get("cid"), keyPosition: try $0.get("pk"))
    }
  }

  /// Every row of a table.
  func tableRows(_ table: String) throws -> [[Column: Value]] {
    let columns = try columns(of: table)
    return try rows("SELECT * FROM \(table)") { row in
      var values: [Column: Value] = [:]
      for column in columns { values[column] = try row.get(column.name, as: Value.self) }
      return values
    }
  }
}
