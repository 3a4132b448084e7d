import Foundation
import SQL
import SQLite
import Support
import Testing

@Suite(.mayBlock) struct MaintenanceTests {
  @Test func `an intact database has no problems`() throws {
    let database = try Database(.memory)
    try database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
    #expect(try database.problems() == [])
  }

  @Test func `a reference to a missing row is a problem`() throws {
    let database = try Database(.memory)
    try database.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (a INTEGER REFERENCES a (id));
      PRAGMA foreign_keys = OFF;
      INSERT INTO b VALUES (7);
      """)
    #expect(
      try database.problems()
        == ["a row of table 'b' refers to a row of table 'a' that is missing"])
  }

  @Test func `a copy contains what was committed before it, and nothing later`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = try Database(.file(folder.appendingPathComponent("a").path))
    try database.execute("PRAGMA user_version = 3; CREATE TABLE a (id INTEGER)")
    try database.run("INSERT INTO a VALUES (1)")
    let reader = try Database(.file(folder.appendingPathComponent("a").path), access: .readOnly)
    let copy = folder.appendingPathComponent("b").path
    try reader.copy(to: copy)
    try database.run("INSERT INTO a VALUES (2)")
    let copied = try Database(.file(copy), access: .readOnly)
    #expect(try copied.rows("SELECT id FROM a") { try $0.get(0, as: Int.self) } == [1])
    #expect(try copied.schemaVersion() == 3)
    #expect(throws: SQLiteError.self) { try reader.run("INSERT INTO a VALUES (3)") }
  }
}
