import PostgreSQL
import SQL
import Support
import Testing

@Suite(.mayBlock) struct MigratorTests {
  private let connection: Connection

  private static let first = Migration(1, "items", "CREATE TABLE item (a bigint)")
  private static let second = Migration(2, "names", "ALTER TABLE item ADD COLUMN name text")

  init() throws {
    let url = try PostgreSQLServer.shared.get().makeDatabase()
    connection = try Connection(to: ServerAddress(url, program: "tests"))
  }

  @Test func `only missing migrations are applied`() throws {
    let old = try Migrator([Self.first])
    #expect(try old.version(of: connection) == 0)
    #expect(try old.migrate(connection) == 1)
    try connection.run("INSERT INTO item VALUES (1)")
    let new = try Migrator([Self.first, Self.second])
    #expect(try new.migrate(connection) == 1)
    #expect(try new.migrate(connection) == 0)
    #expect(try new.version(of: connection) == 2)
    let names = try connection.rows("SELECT name FROM item") { try $0.get(0) as String? }
    #expect(names == [nil])
  }

  @Test func `a failed migration leaves the database unchanged`() throws {
    let broken = Migration(3, "mistake", "DROP TABLE items")
    let migrator = try Migrator([Self.first, Self.second, broken])
    let error = #expect(throws: PostgreSQLError.self) { try migrator.migrate(connection) }
    #expect(error?.message.contains("migration 3 'mistake'") == true)
    #expect(try migrator.version(of: connection) == 0)
    #expect(throws: PostgreSQLError.self) { try connection.run("SELECT * FROM item") }
  }

  @Test func `a database of a newer program is refused`() throws {
    try Migrator([Self.first, Self.second]).migrate(connection)
    let error = #expect(throws: PostgreSQLError.self) {
      try Migrator([Self.first]).migrate(connection)
    }
    #expect(error?.code == .newerSchema)
  }

  @Test func `migrations must be numbered without gaps`() {
    let error = #expect(throws: PostgreSQLError.self) { try Migrator([Self.second]) }
    #expect(error?.code == .invalidMigration)
  }
}
