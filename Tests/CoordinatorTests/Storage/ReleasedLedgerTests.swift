import FarmAPI
import Foundation
import SQLite
import Support
import Testing
import sheaf_coordinator

/// Ledgers of every schema that was released, opened by today's program.
struct ReleasedLedgerTests {
  private static let current = Migration.ledger.count

  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Puts the ledger of a schema in a data directory, and returns its path.
  private func ledger(_ version: Int) throws -> String {
    try FileManager.default.createDirectory(
      atPath: scratch.path("data"), withIntermediateDirectories: true)
    let path = scratch.path("data/ledger.sqlite")
    try LedgerFixture(version: version).load(to: path)
    return path
  }

  /// Whoever adds a migration runs this with SHEAF_WRITE_LEDGER=1, adds rows for what the migration made to the file,
  /// and commits it.
  @Test func `the newest schema has a ledger among the fixtures`() throws {
    let fixture = LedgerFixture(version: Self.current)
    if ProcessInfo.processInfo.environment["SHEAF_WRITE_LEDGER"] != nil {
      let ledger = try Ledger(.file(ledger(Self.current - 1)))
      try fixture.write(ledger.database)
    }
    #expect(
      FileManager.default.fileExists(atPath: fixture.url.path),
      "migration \(Self.current) has no fixture: see the comment of this test")
  }

  @Test(arguments: 1...current)
  func `the ledger of each schema has rows in every table`(version: Int) throws {
    let database = try Database(.file(ledger(version)), access: .readOnly)
    #expect(try database.schemaVersion() == version)
    for table in try database.schema() where table.type == "table" {
      #expect(try !database.tableRows(table.name).isEmpty, "\(table.name) has no rows")
    }
  }

  @Test(arguments: 1...current)
  func `a migration that was released is never changed`(version: Int) throws {
    let database = try Database(.memory)
    try Migrator(Array(Migration.ledger.prefix(version))).migrate(database)
    let released = try Database(.file(ledger(version)), access: .readOnly)
    #expect(try Set(database.schema()) == Set(released.schema()))
  }

  @Test(arguments: 1...current)
  func `a ledger of each schema opens, is sound and keeps its rows`(version: Int) throws {
    let path = try ledger(version)
    var before: [String: (columns: [Column], rows: [[Column: Value]])] = [:]
    do {
      let database = try Database(.file(path), access: .readOnly)
      for table in try database.schema() where table.type == "table" {
        before[table.name] = (
          try database.columns(of: table.name), try database.tableRows(table.name)
        )
      }
    }
    let ledger = try Ledger(.file(path))
    #expect(try ledger.database.problems() == [])
    #expect(try ledger.database.schemaVersion() == Self.current)
    for (table, old) in before {
      let kept = Set(try ledger.database.columns(of: table).map(\.name))
      let columns = old.columns.map(\.name)
      #expect(kept.isSuperset(of: columns.filter { [table, $0] != ["segments", "token"] }))
      let names = columns.filter(kept.contains)
      let new = try ledger.database.tableRows(table)
      #expect(bag(new, names) == bag(old.rows, names), "table \(table)")
    }
    // Migration 4 moved the tokens of leases.
    let tokens = before["segments"]?.rows.flatMap { row in
      row.filter { $0.key.name == "token" && $0.value != .null }.values
    }
    let attempts = try ledger.database.rows("SELECT token FROM attempts") { row in
      try row.get(0, as: Value.self)
    }
    #expect(Set(attempts).isSuperset(of: tokens ?? []))
    #expect(version >= 4 || tokens?.isEmpty == false)
  }

  /// How often each row is there, of which only some columns count.
  private func bag(_ rows: [[Column: Value]], _ names: [String]) -> [[String: Value]: Int] {
    let parts = rows.map { row in
      Dictionary(
        uniqueKeysWithValues: row.filter { names.contains($0.key.name) }
          .map { ($0.key.name, $0.value) })
    }
    return Dictionary(parts.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test(.timeLimit(.minutes(1)), arguments: 1...current)
  func `a farm takes up the ledger of each schema`(version: Int) async throws {
    let path = try ledger(version)
    let known: [String: String]
    do {
      let database = try Database(.file(path), access: .readOnly)
      known = Dictionary(
        uniqueKeysWithValues: try database.rows("SELECT id, state FROM jobs") {
          (try $0.get("id", as: String.self), try $0.get("state", as: String.self))
        })
    }
    let farm = try await TestFarm(in: scratch, ledger: .onDisk)
    let jobs: [JobStatus] = try await farm.get("/jobs")
    #expect(Set(jobs.map(\.id)) == Set(known.keys))
    for job in jobs where job.state.isFinal && known[job.id] != "rendering" {
      #expect(job.state.rawValue == known[job.id])
      #expect(job.state != .completed || job.output != nil)
    }
    for job in jobs where known[job.id] == "rendering" {
      // Its asset is not among the fixtures; its plan, whatever its form, is no reason to fail.
      let end = try await farm.end(of: job)
      #expect(end.failure?.code == "missing-asset", "\(end.failure?.message ?? "")")
    }
    await farm.coordinator.stop()
  }

  @Test(.timeLimit(.minutes(1)), arguments: 1..<current)
  func `an old ledger with a row that refers to a missing one is damaged, and says what to do`(
    version: Int
  ) throws {
    let path = try ledger(version)
    do {
      let database = try Database(.file(path))
      try database.execute("PRAGMA foreign_keys = OFF; DELETE FROM jobs")
      try database.endLog()
    }
    let before = try Data(contentsOf: URL(filePath: path))
    let data = scratch.path("data")
    let check = try Program.coordinator.run(["check", "--data", data])
    #expect(check.status == 1, "\(check.standardError)")
    #expect(check.standardOutput.hasPrefix("ledger: "), "\(check.standardOutput)")
    #expect(check.standardOutput.contains("refers to a row of table 'jobs' that is missing"))
    let serve = try Program.coordinator.run(["serve", "--data", data, "--port", "0"])
    #expect(serve.status == 1)
    #expect(serve.standardError.contains("the ledger is damaged: "), "\(serve.standardError)")
    #expect(serve.standardError.contains("sheaf-coordinator restore --data \(data)"))
    #expect(!serve.standardError.contains("migration"))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [1, 9])
  func `a log that is missing from an old ledger is noticed by the index that it left`(
    version: Int
  ) throws {
    let path = try ledger(version)
    let killed = scratch.path("killed")
    try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
    do {
      // As a kill leaves them.
      let database = try Database(.file(path))
      try database.execute("PRAGMA user_version = \(version)")
      try withExtendedLifetime(database) {
        for suffix in ["", "-shm"] {
          try FileManager.default.copyItem(
            atPath: path + suffix, toPath: "\(killed)/ledger.sqlite\(suffix)")
        }
      }
    }
    let check = try Program.coordinator.run(["check", "--data", killed])
    #expect(check.status == 1, "\(check.standardError)")
    #expect(check.standardOutput.contains("its log is missing: \(killed)/ledger.sqlite-wal"))
    // Such a version removed both files when it stopped, and left the header as it was.
    try FileManager.default.removeItem(atPath: "\(killed)/ledger.sqlite-shm")
    let stopped = try Program.coordinator.run(["check", "--data", killed])
    #expect(!stopped.standardOutput.contains("its log is missing"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `what a killed check left is removed by the next one, and what a running one uses is not`()
    throws
  {
    _ = try ledger(9)
    let temporary = try TemporaryDirectory()
    let (left, used) = (temporary.path("sheaf-ledger-left"), temporary.path("sheaf-ledger-used"))
    for folder in [left, used] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("a copy".utf8).write(to: URL(filePath: "\(folder)/ledger.sqlite"))
    }
    let lock = open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let check = Program.coordinator.process(["check", "--data", scratch.path("data")])
    check.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": temporary.path]) { $1 }
    check.standardOutput = FileHandle.nullDevice
    try check.run()
    check.waitUntilExit()
    #expect(check.terminationStatus == 1, "its files are not there")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["sheaf-ledger-used"])
  }

  @Test func `every table without row ids has its key first, in the order of its columns`() throws {
    let database = try Database(.memory)
    try Migrator(Migration.ledger).migrate(database)
    let tables = try database.schema().filter { $0.sql.contains("WITHOUT ROWID") }
    #expect(tables.count > 2)
    for table in tables {
      let columns = try database.columns(of: table.name)
      let key = columns.filter { $0.keyPosition > 0 }
      #expect(key.map(\.keyPosition) == Array(1...key.count), "\(table.name)")
      #expect(key.map(\.position) == Array(0..<key.count), "\(table.name)")
    }
  }

  @Test(arguments: 1...current)
  func `check, backup and restore take the ledger of each schema`(version: Int) throws {
    let path = try ledger(version)
    let (data, backup) = (scratch.path("data"), scratch.path("backup.sqlite"))
    let before = try Data(contentsOf: URL(filePath: path))
    let check = try Program.coordinator.run(["check", "--data", data])
    // The files that it counts on are not there; the ledger itself is sound.
    #expect(check.status == 1, "\(check.standardError)")
    #expect(!check.standardOutput.contains("ledger: "), "\(check.standardOutput)")
    #expect(try Program.coordinator.run(["backup", "--data", data, "--to", backup]).status == 0)
    #expect(try Data(contentsOf: URL(filePath: path)) == before, "reading changes nothing")
    let other = scratch.path("other")
    let restore = try Program.coordinator.run(["restore", "--data", other, "--from", path])
    #expect(restore.status == 0, "\(restore.standardError)")
    #expect(DatabaseHeader(of: "\(other)/ledger.sqlite")?.schemaVersion == Self.current)
    #expect(
      try Program.coordinator.run(["restore", "--data", other, "--from", backup]).status == 0)
  }
}
