import Foundation
import SQL
import SQLite
import Support
import Testing

@Suite(.mayBlock) struct DatabaseTests {
  private enum State: String, Storable {
    case queued, completed
  }

  private func text(_ database: Database, _ pragma: String) throws -> String? {
    try database.first("PRAGMA \(pragma)") { try $0.get(0, as: String.self) }
  }

  private func number(_ database: Database, _ query: String) throws -> Int? {
    try database.first(query) { try $0.get(0, as: Int.self) }
  }

  @Test func `a file is opened so that committed transactions are durable`() throws {
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      #expect(try text(database, "journal_mode") == "wal")
      #expect(try number(database, "PRAGMA synchronous") == 3)
      #expect(try number(database, "PRAGMA foreign_keys") == 1)
    }
  }

  @Test func `a connection reads what an earlier one committed`() throws {
    try withDatabaseFile { path in
      do {
        let database = try Database(.file(path))
        try database.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, name TEXT)")
        try database.run("INSERT INTO job (name) VALUES (?1)", "cut")
      }
      let database = try Database(.file(path))
      #expect(try database.rows("SELECT name FROM job") { try $0.get("name") } == ["cut"])
    }
  }

  @Test func `a reference to a missing row is refused`() throws {
    let database = try Database(.memory)
    try database.execute(
      """
      CREATE TABLE job (id INTEGER PRIMARY KEY);
      CREATE TABLE segment (job INTEGER NOT NULL REFERENCES job (id));
      """)
    let error = #expect(throws: SQLiteError.self) {
      try database.run("INSERT INTO segment (job) VALUES (?1)", 7)
    }
    #expect(error?.code == .constraint)
    #expect(error?.message.contains("FOREIGN KEY") == true)
    #expect(error?.sql == "INSERT INTO segment (job) VALUES (?1)")
  }

  /// The values that are read from a column after `value` was stored in it.
  private func stored<T: Storable>(_ value: T) throws -> [T] {
    let database = try Database(.memory)
    try database.execute("CREATE TABLE item (a)")
    try database.run("INSERT INTO item VALUES (?1)", value)
    return try database.rows("SELECT a FROM item") { try $0.get("a") }
  }

  @Test func `every type is read as it was stored`() throws {
    #expect(try stored(Int64.min) == [.min])
    #expect(try stored(Int32.max) == [.max])
    #expect(try stored(42) == [42])
    #expect(try stored(1.5) == [1.5])
    #expect(try stored("grüße\0!") == ["grüße\0!"])
    #expect(try stored("") == [""])
    #expect(try stored([0, 255, 10] as [UInt8]) == [[0, 255, 10]])
    #expect(try stored(Data()) == [Data()])
    #expect(try stored(true) == [true])
    #expect(try stored(State.completed) == [.completed])
    #expect(try stored(String?.none) == [nil])
    #expect(try stored(Int?.some(3)) == [3])
  }

  /// Reads of the columns of a row `(1, 'x', NULL, 2, 'lost')` that must fail.
  enum WrongRead: CaseIterable {
    case textFromInteger, integerFromText, textFromNull, truthFromTwo, unknownState, noSuchColumn
    case noSuchIndex

    func perform(_ row: borrowing Row) throws {
      switch self {
      case .textFromInteger: _ = try row.get("a", as: String.self)
      case .integerFromText: _ = try row.get("b", as: Int.self)
      case .textFromNull: _ = try row.get("c", as: String.self)
      case .truthFromTwo: _ = try row.get("d", as: Bool.self)
      case .unknownState: _ = try row.get("e", as: State.self)
      case .noSuchColumn: _ = try row.get("z", as: Int.self)
      case .noSuchIndex: _ = try row.get(5, as: Int.self)
      }
    }
  }

  @Test(arguments: WrongRead.allCases)
  func `reading a value as another type is an error`(_ read: WrongRead) throws {
    let database = try Database(.memory)
    let statement = "SELECT 1 AS a, 'x' AS b, NULL AS c, 2 AS d, 'lost' AS e"
    let error = #expect(throws: MismatchError.self) {
      try database.each(statement) { try read.perform($0) }
    }
    #expect(error?.sql == statement)
  }

  @Test func `a run returns the number of changed rows`() throws {
    let database = try Database(.memory)
    try database.execute("CREATE TABLE item (a); INSERT INTO item VALUES (1), (2), (3)")
    #expect(try database.run("DELETE FROM item WHERE a > ?1", 1) == 2)
    #expect(try database.run("DELETE FROM item WHERE a > ?1", 1) == 0)
  }

  @Test func `a statement can run within its own rows`() throws {
    let database = try Database(.memory)
    try database.execute("CREATE TABLE item (a); INSERT INTO item VALUES (1), (2)")
    var pairs: [[Int]] = []
    try database.each("SELECT a FROM item ORDER BY a") { outer in
      let first: Int = try outer.get("a")
      try database.each("SELECT a FROM item ORDER BY a") { pairs.append([first, try $0.get("a")]) }
    }
    #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }

  @Test func `a wrong number of values is an error`() throws {
    let database = try Database(.memory)
    let error = #expect(throws: SQLiteError.self) { try database.run("SELECT ?1, ?2", 1) }
    #expect(error?.message == "the statement has 2 parameters, not 1")
  }

  @Test func `a second statement in a query is an error`() throws {
    let database = try Database(.memory)
    #expect(throws: SQLiteError.self) { try database.run("SELECT 1; SELECT 2") }
  }

  @Test func `opening a file that is not a database reports that`() throws {
    try withDatabaseFile { path in
      try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: SQLiteError.self) { try Database(.file(path)) }
      #expect(error?.code == .notADatabase)
    }
  }

  @Test func `the error for a database that cannot be opened names it`() throws {
    let error = #expect(throws: SQLiteError.self) { try Database(.file("/nonexistent/ledger.db")) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("/nonexistent/ledger.db") == true)
  }
}
