import SQL
import SQLite
import Support
import Testing

@Suite(.mayBlock) struct TransactionTests {
  private struct Refusal: Error {}

  private func items(_ database: Database) throws -> [Int] {
    try database.rows("SELECT a FROM item ORDER BY a") { try $0.get("a") }
  }

  private func database() throws -> Database {
    let database = try Database(.memory)
    try database.execute("CREATE TABLE item (a UNIQUE)")
    return database
  }

  @Test func `a transaction whose body returns is committed`() throws {
    let database = try database()
    let result = try database.transaction {
      try database.run("INSERT INTO item VALUES (1)")
      return "done"
    }
    #expect(result == "done")
    #expect(!database.isInTransaction)
    #expect(try items(database) == [1])
  }

  @Test func `a transaction whose body throws is undone`() throws {
    let database = try database()
    #expect(throws: Refusal.self) {
      try database.transaction {
        try database.run("INSERT INTO item VALUES (1)")
        throw Refusal()
      }
    }
    #expect(!database.isInTransaction)
    #expect(try items(database).isEmpty)
  }

  @Test func `a failed constraint undoes the whole transaction`() throws {
    let database = try database()
    #expect(throws: SQLiteError.self) {
      try database.transaction {
        try database.run("INSERT INTO item VALUES (1)")
        try database.run("INSERT INTO item VALUES (1)")
      }
    }
    #expect(try items(database).isEmpty)
  }

  @Test func `an inner transaction throws and undoes the outer one`() throws {
    let database = try database()
    #expect(throws: SQLiteError.self) {
      try database.transaction {
        try database.run("INSERT INTO item VALUES (1)")
        try database.transaction {}
      }
    }
    #expect(try items(database).isEmpty)
  }

  @Test func `another connection's lock is an error after the timeout`() throws {
    try withDatabaseFile { path in
      let first = try Database(.file(path))
      let second = try Database(.file(path), busyTimeout: .zero)
      let error = #expect(throws: SQLiteError.self) {
        try first.transaction { try second.transaction {} }
      }
      #expect(error?.code == .busy)
    }
  }
}
