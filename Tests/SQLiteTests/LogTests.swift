import Foundation
import SQL
import SQLite
import Support
import Synchronization
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

  @Test func `a long log is merged by a thread of its own, not by the thread that commits`() throws
  {
    try withDatabaseFile { path in
      let database = try Database(.file(path))
      try database.execute("CREATE TABLE a (bytes BLOB)")
      try database.checkpoint()
      database.mergeLogOnOwnThread()
      let committing = Int(pthread_self())
      let writers = Mutex<Set<Int>>([])
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      DiskWrites.judge(under: folder) { file, byteCount in
        if file == path { writers.withLock { _ = $0.insert(Int(pthread_self())) } }
        return byteCount
      }
      defer { DiskWrites.judge(under: folder, by: nil) }
      let size = { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
      let before = try size()
      try blockUntil("the log is merged") {
        try database.transaction {
          for _ in 0..<100 { try database.run("INSERT INTO a VALUES (randomblob(8000))") }
        }
        return try size() > before + (4 << 20)
      }
      #expect(writers.withLock { !$0.isEmpty && !$0.contains(committing) })
      // The log can end although a thread was merging it.
      try database.endLog()
      #expect(!exists(Database.log(of: path)))
      #expect(try database.problems().isEmpty)
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
