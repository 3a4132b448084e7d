import SQL
import SQLite
import Support
import Testing

@Suite(.mayBlock) struct MigratorTests {
  private static let first = Migration(1, "jobs", "CREATE TABLE job (id INTEGER PRIMARY KEY)")
  private static let second = Migration(2, "names", "ALTER TABLE job ADD COLUMN name TEXT")

  private func version(_ database: Database) throws -> Int? {
    try database.first("PRAGMA user_version") { try $0.get(0) }
  }

  @Test func `every migration is applied once, in order`() throws {
    let database = try Database(.memory)
    let migrator = try Migrator([Self.first, Self.second])
    try migrator.migrate(database)
    try migrator.migrate(database)
    #expect(try version(database) == 2)
    try database.run("INSERT INTO job (name) VALUES (?1)", "cut")
  }

  @Test func `an older database gets the missing migrations and keeps its rows`() throws {
    try withDatabaseFile { path in
      do {
        let database = try Database(.file(path))
        try Migrator([Self.first]).migrate(database)
        try database.run("INSERT INTO job (id) VALUES (5)")
      }
      let database = try Database(.file(path))
      try Migrator([Self.first, Self.second]).migrate(database)
      let names = try database.rows("SELECT id, name FROM job") {
        (try $0.get("id", as: Int.self), try $0.get("name", as: String?.self))
      }
      #expect(names.map(\.0) == [5])
      #expect(names.map(\.1) == [nil])
    }
  }

  @Test func `a newer database is rejected and left unchanged`() throws {
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      try database.execute("PRAGMA user_version = 7")
      let error = #expect(throws: SQLiteError.self) {
        try Migrator([Self.first, Self.second]).migrate(database)
      }
      #expect(error?.code == .newerSchema)
      #expect(
        error?.message == "\(path): its schema is version 7, newer than version 2 of this program: "
          + "use a newer sheaf")
      #expect(try version(database) == 7)
    }
  }

  @Test func `a failed migration leaves the database unchanged`() throws {
    let database = try Database(.memory)
    let broken = Migration(2, "broken", "CREATE TABLE other (a); INSERT INTO missing VALUES (1)")
    let error = #expect(throws: SQLiteError.self) {
      try Migrator([Self.first, broken]).migrate(database)
    }
    #expect(error?.message.contains("migration 2 'broken'") == true)
    #expect(try version(database) == 0)
    #expect(throws: SQLiteError.self) { try database.run("SELECT * FROM job") }
  }

  @Test func `a migration that orphans a row is undone`() throws {
    let database = try Database(.memory)
    let orphan = Migration(
      2, "orphan",
      """
      CREATE TABLE segment (job INTEGER REFERENCES job (id) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO segment VALUES (9);
      """)
    let error = #expect(throws: SQLiteError.self) {
      try Migrator([Self.first, orphan]).migrate(database)
    }
    #expect(error?.code == .constraint)
    #expect(try version(database) == 0)
  }

  @Test func `a dangling reference from before a migration is damage, not a failed migration`()
    throws
  {
    let database = try Database(.memory)
    let segments = Migration(
      2, "segments", "CREATE TABLE segment (job INTEGER REFERENCES job (id))")
    try Migrator([Self.first, segments]).migrate(database)
    try database.execute("PRAGMA foreign_keys = OFF; INSERT INTO segment VALUES (9)")
    try database.execute("PRAGMA foreign_keys = ON")
    // One migration leaves the row alone, and one copies it.
    let copying = """
      CREATE TABLE copy (job INTEGER REFERENCES job (id)); INSERT INTO copy SELECT * FROM segment
      """
    for sql in ["ALTER TABLE job ADD COLUMN name TEXT", copying] {
      let error = #expect(throws: SQLiteError.self) {
        try Migrator([Self.first, segments, Migration(3, "more", sql)]).migrate(database)
      }
      #expect(error?.code == .corrupt)
      #expect(
        error?.message.contains("a row of table 'segment' refers to a row of table 'job'") == true)
      #expect(error?.message.contains("migration") == false)
      #expect(try version(database) == 2)
    }
  }

  @Test func `a database that fails verification after the migrations stays unchanged`() throws {
    struct Refusal: Error {}
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      try Migrator([Self.first]).migrate(database)
      #expect(throws: Refusal.self) {
        try Migrator([Self.first, Self.second]).migrate(database) { database in
          #expect(try version(database) == 2, "the migrations come first")
          throw Refusal()
        }
      }
      #expect(try version(database) == 1)
      #expect(throws: SQLiteError.self) { try database.run("SELECT name FROM job") }
    }
  }

  @Test func `a database with an impossible version is rejected`() throws {
    let database = try Database(.memory)
    try database.execute("PRAGMA user_version = -1")
    let error = #expect(throws: SQLiteError.self) {
      try Migrator([Self.first]).migrate(database)
    }
    #expect(error?.code == .notADatabase)
  }

  @Test(arguments: [[2], [1, 3], [1, 1], [0, 1]])
  func `migrations that are not numbered in order are rejected`(_ numbers: [Int]) {
    let error = #expect(throws: SQLiteError.self) {
      try Migrator(numbers.map { Migration($0, "some", "SELECT 1") })
    }
    #expect(error?.code == .invalidMigration)
  }
}
