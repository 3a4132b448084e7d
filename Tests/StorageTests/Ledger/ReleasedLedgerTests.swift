import CoordinatorSupport
import FarmAPI
import Foundation
import Processes
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// Ledgers of every released schema, opened by the current program.
@Suite(.mayBlock) struct ReleasedLedgerTests {
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

  /// After adding a migration, run this test with SHEAF_WRITE_LEDGER=1, add rows for the migration's tables and columns
  /// to the file, and commit it.
  @Test func `the newest schema has a ledger among the fixtures`() throws {
    let fixture = LedgerFixture(version: Self.current)
    if ProcessInfo.processInfo.environment["SHEAF_WRITE_LEDGER"] != nil {
      let ledger = try Ledger(.file(ledger(Self.current - 1)))
      try fixture.write(ledger.connection)
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
  func `a released migration never changes`(version: Int) throws {
    let database = try Database(.memory)
    try Migrator(Array(Migration.ledger.prefix(version))).migrate(database)
    let released = try Database(.file(ledger(version)), access: .readOnly)
    #expect(try Set(database.schema()) == Set(released.schema()))
  }

  @Test(arguments: 1...current)
  func `a ledger of each schema opens, is intact and keeps its rows`(version: Int) throws {
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
    #expect(try ledger.connection.problems() == [])
    #expect(try ledger.connection.schemaVersion() == Self.current)
    for (table, old) in before {
      let kept = Set(try ledger.connection.columns(of: table).map(\.name))
      let columns = old.columns.map(\.name)
      let moved = Self.movedColumns[table] ?? []
      #expect(kept.isSuperset(of: columns.filter { !moved.contains($0) }))
      let names = columns.filter(kept.contains)
      let new = try ledger.connection.tableRows(table)
      #expect(bag(new, names) == bag(old.rows, names), "table \(table)")
    }
    // Migration 4 moved the tokens of leases.
    let tokens = before["segments"]?.rows.flatMap { row in
      row.filter { $0.key.name == "token" && $0.value != .null }.values
    }
    let attempts = try ledger.connection.rows("SELECT token FROM attempts") { row in
      try row.get(0, as: Value.self)
    }
    #expect(Set(attempts).isSuperset(of: tokens ?? []))
    #expect(version >= 4 || tokens?.isEmpty == false)
    // Migration 20 moved the large parts of jobs.
    for row in before["jobs"]?.rows ?? [] {
      let id = try #require(row.first { $0.key.name == "id" }?.value)
      for (column, value) in row where Self.movedJobColumns.contains(column.name) {
        let found = try ledger.connection.first(
          "SELECT bytes FROM job_blobs WHERE job = ?1 AND name = ?2", id, column.name
        ) { try $0.get("bytes", as: Value.self) }
        #expect(found ?? .null == value, "\(column.name)")
      }
    }
  }

  private static let movedJobColumns: Set<String> = [
    "project_assets", "asset_digests", "plan_facts", "concealed_sound",
  ]
  /// The columns of older schemas that are in other tables now, by table.
  private static let movedColumns: [String: Set<String>] = [
    "segments": ["token"], "jobs": movedJobColumns,
  ]

  @Test func `a job's row, which every state change writes, has no large columns`() throws {
    let ledger = try Ledger(.file(ledger(Self.current)))
    let columns = Set(try ledger.connection.columns(of: "jobs").map(\.name))
    #expect(columns.isDisjoint(with: Self.movedJobColumns))
    let sizes = try ledger.connection.rows(
      "SELECT name, max(length(bytes)) AS size FROM job_blobs GROUP BY name"
    ) { (try $0.get("name", as: String.self), try $0.get("size", as: Int.self)) }
    #expect(
      Set(sizes.map { $0.0 }) == Self.movedJobColumns.union(["first_concealed_sound"]))
    #expect(sizes.allSatisfy { $0.1 > 0 })
  }

  @Test func `the concealed sound of an older ledger is counted, and its first parts are kept`()
    throws
  {
    let path = try ledger(19)
    let parts = (1...25).map { #"{"asset":"\#($0)","duration":1,"time":"\#($0)/25"}"# }
    let list = Data("[\(parts.joined(separator: ","))]".utf8)
    do {
      let database = try Database(.file(path))
      try database.run("UPDATE jobs SET concealed_sound = ?1 WHERE number = 1", list)
      try database.run("UPDATE lost_outputs SET concealed_sound = ?1", list)
      try database.endLog()
    }
    let ledger = try Ledger(.file(path))
    let first = Data("[\(parts.prefix(20).joined(separator: ","))]".utf8)
    let blobs = try ledger.connection.rows(
      """
      SELECT bytes FROM job_blobs WHERE job = (SELECT id FROM jobs WHERE number = 1) ORDER BY name
      """
    ) { try $0.get("bytes", as: Data.self) }
    #expect(blobs == [list, first])
    for table in ["jobs WHERE number = 1", "lost_outputs"] {
      let count = try ledger.connection.first("SELECT concealed_sounds FROM \(table)") {
        try $0.get(0, as: Int.self)
      }
      #expect(count == 25)
    }
    let lost = try ledger.connection.first(
      "SELECT concealed_sound, first_concealed_sound FROM lost_outputs"
    ) { [try $0.get(0, as: Data.self), try $0.get(1, as: Data.self)] }
    #expect(lost == [list, first])
  }

  /// The number of times that each row occurs. Only the named columns count.
  private func bag(_ rows: [[Column: Value]], _ names: [String]) -> [[String: Value]: Int] {
    let parts = rows.map { row in
      Dictionary(
        uniqueKeysWithValues: row.filter { names.contains($0.key.name) }
          .map { ($0.key.name, $0.value) })
    }
    return Dictionary(parts.map { ($0, 1) }, uniquingKeysWith: +)
  }

  @Test(.timeLimit(.minutes(15)), arguments: 1...current)
  func `a farm can start with the ledger of each schema`(version: Int) async throws {
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
      #expect(job.state != .completed || job.output != nil || job.outputDeletion != nil)
    }
    for job in jobs where known[job.id] == "rendering" {
      // It fails because its asset is not among the fixtures, and not because of its plan's format.
      let end = try await farm.end(of: job)
      #expect(end.failure?.code == "missing-asset", "\(end.failure?.message ?? "")")
    }
    await farm.coordinator.stop()
  }

  @Test(.timeLimit(.minutes(15)), arguments: 1..<current)
  func `an old ledger with a dangling reference is damaged, and the error says what to do`(
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

  @Test(.timeLimit(.minutes(15)), arguments: [1, 9])
  func `the missing log of an old ledger is detected by the index file that it left`(
    version: Int
  ) throws {
    let path = try ledger(version)
    let killed = scratch.path("killed")
    try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
    do {
      // The files that a killed coordinator leaves.
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
    // These versions removed both files at a clean stop, and did not change the header.
    try FileManager.default.removeItem(atPath: "\(killed)/ledger.sqlite-shm")
    let stopped = try Program.coordinator.run(["check", "--data", killed])
    #expect(stopped.status == 1, "\(stopped.standardError)")
    #expect(!stopped.standardOutput.contains("its log is missing"))
    // The ledger is sound, but the files that it refers to were not copied.
    let first = try #require(stopped.standardOutput.split(separator: "\n").first)
    #expect(!first.hasPrefix("ledger: ") && first.hasSuffix(" is missing"), "\(first)")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a check removes the files of a killed check, but not those of a running one`() throws {
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
    check.standardOutput = .null
    try check.run()
    #expect(check.wait() == .exited(1), "its files are missing")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["sheaf-ledger-used"])
  }

  @Test func `every table without row ids begins with its key columns, in key order`() throws {
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
  func `check, backup and restore accept the ledger of each schema`(version: Int) throws {
    let path = try ledger(version)
    let (data, backup) = (scratch.path("data"), scratch.path("backup.sqlite"))
    let before = try Data(contentsOf: URL(filePath: path))
    let check = try Program.coordinator.run(["check", "--data", data])
    // The ledger itself is sound, but the files that it refers to are missing.
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
