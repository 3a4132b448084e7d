import Foundation
import PostgreSQL
import SQL
import Support
import Testing

@Suite(.mayBlock) struct ConnectionTests {
  private let server: PostgreSQLServer
  private let address: ServerAddress

  init() throws {
    server = try PostgreSQLServer.shared.get()
    address = try ServerAddress(server.makeDatabase(), program: "tests")
  }

  @Test(
    arguments: [
      .null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-1e300),
      .real(.leastNonzeroMagnitude), .text(""), .text("ä 🎬\n\"'\\"), .blob([]),
      .blob(Array(0...255)),
    ] as [Value])
  func `values come back as they were stored`(value: Value) throws {
    let connection = try Connection(to: address)
    let column =
      switch value {
      case .null, .integer: "bigint"
      case .real: "double precision"
      case .text: "text"
      case .blob: "bytea"
      }
    try connection.execute("CREATE TABLE item (a \(column))")
    try connection.run("INSERT INTO item VALUES ($1)", value)
    let found = try connection.first("SELECT a FROM item") { try $0.get("a", as: Value.self) }
    #expect(found == value)
  }

  @Test(
    arguments: [
      ("sum(9223372036854775807::bigint)", .integer(.max)),
      ("sum(-10000::bigint)", .integer(-10000)),
      ("sum(0::bigint)", .integer(0)), ("sum(120000000::bigint)", .integer(120_000_000)),
      ("true", .integer(1)), ("1 = 2", .integer(0)), ("2::smallint", .integer(2)),
      ("-3::integer", .integer(-3)), ("'x'", .text("x")), ("'x'::varchar(3)", .text("x")),
    ] as [(String, Value)])
  func `results of expressions are read as values`(expression: String, value: Value) throws {
    let connection = try Connection(to: address)
    #expect(try connection.first("SELECT \(expression)") { try $0.get(0, as: Value.self) } == value)
  }

  @Test(arguments: ["now()", "1.5::numeric", "sum(9223372036854775807::bigint) + 1"])
  func `a result that does not fit is an error, not a wrong value`(expression: String) throws {
    let connection = try Connection(to: address)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run("SELECT \(expression) AS a")
    }
    #expect(error?.code == .unsupported)
    #expect(try connection.first("SELECT 1") { try $0.get(0) } == 1)
  }

  @Test func `a run returns the number of changed rows`() throws {
    let connection = try Connection(to: address)
    try connection.execute("CREATE TABLE item (a bigint); INSERT INTO item VALUES (1), (2), (3)")
    #expect(try connection.run("DELETE FROM item WHERE a > $1", 1) == 2)
    #expect(try connection.rows("SELECT a FROM item") { try $0.get("a") as Int } == [1])
  }

  @Test func `a transaction is written whole or not at all`() throws {
    struct Stop: Error {}
    let connection = try Connection(to: address)
    try connection.execute("CREATE TABLE item (a bigint PRIMARY KEY)")
    #expect(throws: Stop.self) {
      try connection.transaction {
        try connection.run("INSERT INTO item VALUES (1)")
        throw Stop()
      }
    }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.transaction {
        try connection.run("INSERT INTO item VALUES (2)")
        try connection.run("INSERT INTO item VALUES (2)")
      }
    }
    #expect(error?.code == .constraint && error?.state == "23505")
    #expect(throws: PostgreSQLError.self) {
      try connection.transaction { try connection.transaction {} }
    }
    try connection.transaction { try connection.run("INSERT INTO item VALUES (3)") }
    let other = try Connection(to: address)
    #expect(try other.rows("SELECT a FROM item") { try $0.get("a") as Int } == [3])
  }

  @Test func `statements that are sent together run in order`() throws {
    let connection = try Connection(to: address)
    try connection.execute("CREATE TABLE item (a bigint PRIMARY KEY)")
    let insertions = [3, 1, 2].map { Statement("INSERT INTO item VALUES ($1)", $0) }
    let found = try connection.first(
      "SELECT count(*), max(a) FROM item", bind: [], after: insertions
    ) { (try $0.get(0) as Int, try $0.get(1) as Int) }
    #expect(try #require(found) == (3, 3))
    #expect(
      try connection.run(
        "DELETE FROM item WHERE a > $1", bind: [1],
        after: [Statement("INSERT INTO item VALUES (4)")]) == 3)
  }

  @Test func `a failure ends the statements that are sent together with it`() throws {
    let connection = try Connection(to: address)
    try connection.execute("CREATE TABLE item (a bigint PRIMARY KEY)")
    for isCommitted in [false, true] {
      let error = #expect(throws: PostgreSQLError.self) {
        try connection.run([Statement("BEGIN"), Statement("INSERT INTO item VALUES (1)")])
        let rest = [1, 2].map { Statement("INSERT INTO item VALUES ($1)", $0) }
        if isCommitted { try connection.commit(after: rest) } else { try connection.run(rest) }
      }
      #expect(error?.code == .constraint && error?.sql == "INSERT INTO item VALUES ($1)")
      #expect(connection.isInTransaction)
      try connection.execute("ROLLBACK")
      #expect(try connection.first("SELECT count(*) FROM item") { try $0.get(0) } == 0)
    }
    #expect(!connection.isBroken)
  }

  @Test func `each statement may take as long as an answer may`() throws {
    let connection = try Connection(to: address, patience: .seconds(3))
    let pauses = (0..<3).map { _ in Statement("SELECT pg_sleep(1.2)::text") }
    #expect(try connection.first("SELECT 7", bind: [], after: pauses) { try $0.get(0) } == 7)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([Statement("SELECT 1"), Statement("SELECT pg_sleep(60)::text")])
    }
    #expect(error?.isTimeout == true && connection.isBroken)
  }

  @Test func `many large statements and results do not block each other`() throws {
    let connection = try Connection(to: address)
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let echoes = (0..<40).map { _ in Statement("SELECT $1", bytes) }
    #expect(
      try connection.first("SELECT length($1)", bind: [bytes], after: echoes) { try $0.get(0) }
        == bytes.count)
  }

  @Test func `a connection that ends between statements is lost`() throws {
    let connection = try Connection(to: address)
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([
        Statement("SELECT 1"), Statement("SELECT pg_terminate_backend(pg_backend_pid())"),
        Statement("SELECT 2"),
      ])
    }
    #expect(error?.code == .lost && error?.state == "57P01")
    #expect(connection.isBroken)
  }

  @Test func `the reason for which the server ends a session is in the error`() throws {
    let connection = try Connection(to: address)
    try connection.execute("SET idle_in_transaction_session_timeout = '50ms'")
    let process = try connection.first("SELECT pg_backend_pid()") { try $0.get(0) as Int }
    try connection.execute("BEGIN")
    let other = try Connection(to: address)
    try blockUntil("the server has ended the session") {
      try other.first(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = $1::integer",
        String(try #require(process))
      ) { try $0.get(0) } == 0
    }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([Statement("SELECT 1"), Statement("SELECT 2")])
    }
    #expect(error?.code == .lost)
    #expect(error?.message.contains("idle-in-transaction timeout") == true)
  }

  @Test func `a transaction in which a statement failed is not reported as committed`() throws {
    let connection = try Connection(to: address)
    try connection.execute("CREATE TABLE item (a bigint PRIMARY KEY)")
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.transaction {
        try connection.run("INSERT INTO item VALUES (1)")
        // A body that swallows an error must not make it look successful.
        _ = try? connection.run("INSERT INTO item VALUES (1)")
      }
    }
    #expect(error?.message.contains("the transaction was rolled back") == true)
    #expect(try connection.first("SELECT count(*) FROM item") { try $0.get(0) } == 0)
  }

  @Test func `a connection that the server ends is lost, and a new one works`() throws {
    let connection = try Connection(to: address)
    let process = try connection.first("SELECT pg_backend_pid()") { try $0.get(0) as Int }
    let other = try Connection(to: address)
    try other.run("SELECT pg_terminate_backend($1::integer)", String(try #require(process)))
    let error = #expect(throws: PostgreSQLError.self) { try connection.run("SELECT 1") }
    #expect(error?.code == .lost)
    #expect(connection.isBroken)
    #expect(throws: PostgreSQLError.self) { try connection.run("SELECT 1") }
    #expect(try Connection(to: address).first("SELECT 1") { try $0.get(0) } == 1)
  }

  @Test func `an answer that does not come in time is a lost connection`() throws {
    let connection = try Connection(to: address, patience: .milliseconds(300))
    let error = #expect(throws: PostgreSQLError.self) { try connection.run("SELECT pg_sleep(60)") }
    #expect(error?.code == .lost)
    #expect(connection.isBroken)
  }

  @Test func `a large statement reaches the server`() throws {
    let connection = try Connection(to: address)
    let bytes = [UInt8](repeating: 7, count: 24 << 20)
    #expect(try connection.first("SELECT length($1)", bytes) { try $0.get(0) } == bytes.count)
  }

  @Test func `a database that does not exist is refused`() throws {
    let other = try ServerAddress(server.url(of: "nowhere"), program: "tests")
    let error = #expect(throws: PostgreSQLError.self) { try Connection(to: other) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("\"nowhere\" does not exist") == true)
  }

  @Test func `a host without a server is unreachable`() throws {
    let port = try SilentPort()
    let other = try ServerAddress(
      "postgresql://sheaf@127.0.0.1:\(port.number)/farm", program: "tests")
    let error = #expect(throws: PostgreSQLError.self) { try Connection(to: other) }
    #expect(error?.code == .unreachable)
    withExtendedLifetime(port) {}
  }
}
