import Foundation
import SQLite
import Support
import Testing

/// The mark in a database file that states whether it has a log.
@Suite(.mayBlock) struct LogTests {
  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func `a file names its log as long as the log is in use`() throws {
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      try database.execute("CREATE TABLE a (id INTEGER); PRAGMA user_version = 12")
      try database.checkpoint()
      #expect(DatabaseHeader(of: path)?.usesLog == true)
      #expect(DatabaseHeader(of: path)?.schemaVersion == 12)
      #expect(exists(Database.log(of: path)))
      try database.endLog()
      #expect(DatabaseHeader(of: path)?.usesLog == false)
      #expect(!exists(Database.log(of: path)))
      try database.run("INSERT INTO a VALUES (7)")
      #expect(!exists(Database.log(of: path)))
      try database.startLog()
      #expect(DatabaseHeader(of: path)?.usesLog == true)
      #expect(exists(Database.log(of: path)))
    }
  }

  @Test func `a connection keeps the log when it closes`() throws {
    try withDatabaseFile { path in
      do {
        let database = try Database(.file(path))
        try database.execute("CREATE TABLE a (id INTEGER); INSERT INTO a VALUES (7)")
      }
      #expect(DatabaseHeader(of: path)?.usesLog == true)
      #expect(exists(Database.log(of: path)))
      let database = try Database(.file(path), access: .readOnly)
      #expect(try database.rows("SELECT id FROM a") { try $0.get(0, as: Int.self) } == [7])
    }
  }

  @Test func `a log does not end while it is being read`() throws {
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      try database.execute("CREATE TABLE a (id INTEGER); INSERT INTO a VALUES (7)")
      let reader = try Database(.file(path), access: .readOnly)
      #expect(try reader.rows("SELECT id FROM a") { try $0.get(0, as: Int.self) } == [7])
      #expect(throws: SQLiteError.self) { try database.endLog() }
      #expect(exists(Database.log(of: path)))
      try database.run("INSERT INTO a VALUES (8)")
      #expect(try reader.rows("SELECT id FROM a") { try $0.get(0, as: Int.self) } == [7, 8])
    }
  }

  @Test func `a file that is not a database has no header`() throws {
    try withDatabaseFile { path in
      #expect(DatabaseHeader(of: path) == nil)
      try Data("SQLite format 3".utf8).write(to: URL(fileURLWithPath: path))
      #expect(DatabaseHeader(of: path) == nil)
    }
  }
}
