import PostgreSQL
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// The schemas of both databases are the same.
@Suite(.mayBlock) struct LedgerSchemaTests {
  /// A column, in the words of both databases.
  private struct Field: Hashable, CustomStringConvertible {
    let table, name, type: String
    let isRequired: Bool
    var description: String { "\(table).\(name) \(type)\(isRequired ? " NOT NULL" : "")" }
  }

  private static let types = [
    "bigint": "INTEGER", "double precision": "REAL", "text": "TEXT", "bytea": "BLOB",
  ]

  @Test func `the tables have the same columns, types and keys`() throws {
    let directory = try TemporaryDirectory()
    let file = try Ledger(.file(directory.path("ledger.sqlite")))
    let sqlite = try file.connection.rows(
      """
      SELECT t.name, c.name, c.type, c."notnull" OR c.pk > 0 FROM sqlite_schema AS t,
        pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'
      """
    ) { row in
      Field(
        table: try row.get(0), name: try row.get(1), type: try row.get(2),
        isRequired: try row.get(3))
    }
    let address = try ServerAddress.test(PostgreSQLServer.shared.get().makeDatabase())
    let connection = try Connection(to: address)
    try Migrator(Migration.postgreSQL).migrate(connection)
    let server = try connection.rows(
      """
      SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO'
      FROM information_schema.columns WHERE table_schema = 'public'
        AND table_name NOT IN ('schema_migrations', 'ledger_owner', 'ledger_commits', 'trust_records')
      """
    ) { row in
      let type: String = try row.get(2)
      return Field(
        table: try row.get(0), name: try row.get(1), type: Self.types[type] ?? type,
        isRequired: try row.get(3))
    }
    #expect(Set(sqlite) == Set(server))
    #expect(Set(sqlite.map(\.table)) == Set(LedgerTables.names))
    #expect(sqlite.count > 200)
    let references = try connection.first(
      "SELECT count(*) FROM pg_constraint WHERE contype = 'f'"
    ) { try $0.get(0) as Int }
    let expected = try file.connection.first(
      """
      SELECT count(*) FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
      WHERE t.type = 'table' AND f.seq = 0
      """
    ) { try $0.get(0) as Int }
    #expect(references == expected)
  }

  @Test func `a ledger with an earlier schema is refused until it is upgraded, and keeps its rows`()
    throws
  {
    let url = try PostgreSQLServer.shared.get().makeDatabase()
    let address = try ServerAddress.test(url)
    let connection = try Connection(to: address)
    let current = Migration.postgreSQL.count
    try Migrator(Array(Migration.postgreSQL.prefix(2))).migrate(connection)
    try connection.execute("UPDATE ledger_owner SET directory = 'farm', epoch = 7")
    #expect {
      try Ledger(reading: address)
    } throws: {
      "\($0)".contains("migrate --ledger \(address)")
    }
    let outcome = try Program.coordinator.run(["migrate", "--ledger", url])
    #expect(outcome.status == 0)
    #expect(outcome.standardOutput.contains("\(current)"))
    let ledger = try Ledger(reading: address)
    ledger.close()
    let owner = try connection.first("SELECT directory, epoch, store FROM ledger_owner") {
      (try $0.get(0) as String, try $0.get(1) as Int, try $0.get(2) as String)
    }
    #expect(try #require(owner) == ("farm", 7, ""))
  }
}
