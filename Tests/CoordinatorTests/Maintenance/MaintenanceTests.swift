import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// `sheaf-coordinator check`, `backup` and `restore`, as real programs on a real data directory.
@Suite(.mayBlock) struct MaintenanceTests {
  /// A data directory with a job that has one accepted chunk.
  private struct Kept {
    let scratch: TemporaryDirectory
    let job: String
    let chunk: Digest
    /// The arguments and the clients of a coordinator on the directory.
    let access: FarmAccess

    var data: String { scratch.path("data") }
    var ledger: String { scratch.path("data/ledger.sqlite") }

    init(_ security: FarmSecurity = .open) async throws {
      scratch = try TemporaryDirectory()
      access = try FarmAccess(security, data: scratch.path("data"))
      (job, chunk) = try await Self.fill(scratch, access.tokens)
      try await untilUnlocked(data)
    }

    private static func fill(
      _ scratch: TemporaryDirectory, _ tokens: FarmTokens?
    ) async throws -> (String, Digest) {
      let farm = try await TestFarm(in: scratch, ledger: .onDisk, tokens: tokens)
      let job = try await farm.submit().id
      let lease = try await farm.lease(farm.register())
      #expect(try await farm.deliver(lease).status == .ok)
      await farm.coordinator.stop()
      return (job, Digest.of(TestFarm.chunk(of: lease)))
    }

    func path(_ folder: String, _ digest: Digest) -> String {
      "\(data)/\(folder)/\(digest.description.prefix(2))/\(digest)"
    }

    func run(_ arguments: String...) throws -> Program.Outcome {
      try Program.coordinator.run([arguments[0], "--data", data] + arguments.dropFirst())
    }

    /// Starts a coordinator on the directory.
    func serve() throws -> RunningCoordinator {
      try RunningCoordinator(data: data, access.arguments)
    }

    /// Overwrites parts of the ledger's pages.
    func damageLedger() throws {
      for suffix in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: ledger + suffix)
      }
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: ledger))
      for page in 1...8 {
        try file.seek(toOffset: UInt64(page * 4096))
        try file.write(contentsOf: Data(repeating: 0xAB, count: 512))
      }
      try file.close()
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a data directory that matches its ledger passes the check`() async throws {
    let kept = try await Kept()
    let outcome = try kept.run("check", "--chunks")
    #expect(outcome.status == 0)
    #expect(outcome.standardOutput.hasPrefix("no problems: "))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a ledger with one file is reported in the singular`() async throws {
    let scratch = try TemporaryDirectory()
    let farm = try await TestFarm(in: scratch, ledger: .onDisk)
    let job = try await farm.submit()
    let worker = try await farm.register()
    for _ in try await farm.segments(of: job) {
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    }
    #expect(try await farm.end(of: job).state == .completed)
    await farm.coordinator.stop()
    let outcome = try Program.coordinator.run(["check", "--data", scratch.path("data")])
    #expect(
      outcome.standardOutput == "no problems: checked the ledger and the file that it refers to\n")
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a check while a coordinator runs changes nothing and finds nothing`(
    security: FarmSecurity
  )
    async throws
  {
    let kept = try await Kept(security)
    let running = try kept.serve()
    defer { running.kill() }
    #expect(try kept.run("check", "--chunks").status == 0)
    let ready = try await kept.access.admin.send(
      ClientRequest(.get, "\(running.origin)/readyz"))
    #expect(ready.status == .ok)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a missing chunk is a finding`() async throws {
    let kept = try await Kept()
    try FileManager.default.removeItem(atPath: kept.path("chunks", kept.chunk))
    let outcome = try kept.run("check")
    #expect(outcome.status == 1)
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines[0].contains("job \(kept.job): the chunk of segment"))
    #expect(lines[0].contains("is missing"))
  }

  @Test(.timeLimit(.minutes(15)), arguments: ["chunks", "assets"])
  func `a flipped bit is found by the SHA-256 of its file`(folder: String) async throws {
    let kept = try await Kept()
    let digest = folder == "chunks" ? kept.chunk : Digest.of(Data("a clip".utf8))
    try FileDamage.flipBit(of: kept.path(folder, digest), at: 0)
    #expect(try kept.run("check").status == 0)
    let outcome = try kept.run("check", "--chunks")
    #expect(outcome.status == 1)
    #expect(outcome.standardOutput.contains("\(folder.dropLast()) \(digest): "))
  }

  @Test(
    .timeLimit(.minutes(15)),
    arguments: [("blocks", "block digests of"), ("indexes", "index of")])
  func `damaged block digests and media indexes are found`(
    folder: String, name: String
  ) async throws {
    let kept = try await Kept()
    let digest = Digest.of(Data("a clip".utf8))
    try FileDamage.flipBit(of: kept.path(folder, digest))
    let outcome = try kept.run("check", "--chunks")
    #expect(outcome.status == 1)
    #expect(outcome.standardOutput.contains("\(name) \(digest): "))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a damaged ledger is found, and a coordinator that opens it says what to do`() async throws {
    let kept = try await Kept()
    try kept.damageLedger()
    let check = try kept.run("check")
    #expect(check.status == 1)
    #expect(check.standardOutput.hasPrefix("ledger: "))
    let before = try Data(contentsOf: URL(fileURLWithPath: kept.ledger))
    let serve = try kept.run("serve", "--port", "0")
    #expect(serve.status == 1)
    #expect(serve.standardError.contains("sheaf-coordinator restore --data \(kept.data)"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept.ledger)) == before)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a backup of a running coordinator's ledger can replace a damaged ledger`(
    security: FarmSecurity
  )
    async throws
  {
    let kept = try await Kept(security)
    let backup = kept.scratch.path("backup.sqlite")
    let running = try kept.serve()
    let copied = try kept.run("backup", "--to", backup)
    running.kill()
    #expect(copied.status == 0, "\(copied.standardError)")
    try kept.damageLedger()
    #expect(try kept.run("restore", "--from", backup).status == 0)
    #expect(try kept.run("check", "--chunks").status == 0)
    let again = try kept.serve()
    defer { again.kill() }
    let response = try await kept.access.submitter.send(
      ClientRequest(.get, "\(again.url)/jobs/\(kept.job)/segments"))
    let segments = try FarmCoding.decode([SegmentStatus].self, from: response.body)
    #expect(segments.count { $0.state == .completed } == 1)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a ledger is not restored while a coordinator runs`(
    security: FarmSecurity
  ) async throws {
    let kept = try await Kept(security)
    let backup = kept.scratch.path("backup.sqlite")
    #expect(try kept.run("backup", "--to", backup).status == 0)
    let running = try kept.serve()
    defer { running.kill() }
    let outcome = try kept.run("restore", "--from", backup)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains("another coordinator runs on it"))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a backup overwrites nothing, and a file that is not a backup is not restored`() async throws
  {
    let kept = try await Kept()
    let file = kept.scratch.path("notes.txt")
    try Data("notes".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try kept.run("backup", "--to", file).status == 2)
    #expect(try kept.run("restore", "--from", file).status == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("notes".utf8))
    #expect(try kept.run("check").status == 0)
  }

  @Test(.timeLimit(.minutes(15)))
  func `the ledger's log is merged when a coordinator stops, and stays small while it runs`()
    async throws
  {
    let kept = try await Kept()
    #expect((try? Data(contentsOf: URL(fileURLWithPath: kept.ledger + "-wal")))?.isEmpty ?? true)
    let database = try Database(.file(kept.ledger))
    try database.execute("CREATE TABLE filler (bytes BLOB)")
    for _ in 0..<64 {
      try database.run("INSERT INTO filler (bytes) VALUES (?1)", Data(count: 1 << 20))
    }
    let log = try FileManager.default.attributesOfItem(atPath: kept.ledger + "-wal")
    #expect(try #require(log[.size] as? Int) <= 17 << 20)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a log that is missing after a kill is reported, and the loss can be accepted`(
    security: FarmSecurity
  ) async throws {
    let kept = try await Kept(security)
    let running = try kept.serve()
    running.kill()
    #expect(FileManager.default.fileExists(atPath: kept.ledger + "-wal"))
    let copy = kept.scratch.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: kept.ledger, toPath: copy)
    try FileManager.default.removeItem(atPath: kept.ledger + "-wal")
    let before = try Data(contentsOf: URL(fileURLWithPath: kept.ledger))
    let check = try kept.run("check")
    #expect(check.status == 1)
    #expect(check.standardOutput.contains("its log is missing: \(kept.ledger)-wal"))
    let serve = try kept.run("serve", "--port", "0")
    #expect(serve.status == 1)
    #expect(serve.standardError.contains("sheaf-coordinator restore --data \(kept.data)"))
    #expect(try kept.run("backup", "--to", kept.scratch.path("backup.sqlite")).status == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept.ledger)) == before)
    #expect(!FileManager.default.fileExists(atPath: kept.ledger + "-wal"))

    #expect(try kept.run("restore", "--from", kept.ledger).status == 0)
    #expect(try kept.run("check").status == 0)
    let again = try kept.serve()
    again.kill()
    // A plain copy of the ledger's file can be restored too.
    #expect(try kept.run("restore", "--from", copy).status == 0)
    #expect(try kept.run("check").status == 0)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a clean stop leaves no log, and the ledger alone is complete`(
    security: FarmSecurity
  ) async throws {
    let kept = try await Kept(security)
    for _ in 0..<2 {
      let running = try kept.serve()
      #expect(FileManager.default.fileExists(atPath: kept.ledger + "-wal"))
      running.process.terminate()
      running.process.wait()
      #expect(!FileManager.default.fileExists(atPath: kept.ledger + "-wal"))
      #expect(try kept.run("check").status == 0)
    }
    let copy = kept.scratch.path("copy/ledger.sqlite")
    try FileManager.default.createDirectory(
      atPath: kept.scratch.path("copy"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: kept.ledger, toPath: copy)
    let ledger = try Ledger(reading: kept.scratch.path("copy"))
    #expect(try ledger.connection.rows("SELECT id FROM jobs") { try $0.get(0) } == [kept.job])
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a start that fails after the ledger was opened needs no repair`(
    security: FarmSecurity
  ) async throws {
    let kept = try await Kept(security)
    let running = try RunningCoordinator(data: kept.scratch.path("other"))
    defer { running.kill() }
    let port = try #require(running.origin.split(separator: ":").last)
    let failed = try Program.coordinator.run(
      ["serve", "--data", kept.data, "--port", String(port)] + kept.access.arguments)
    #expect(failed.status == 1, "\(failed.standardError)")
    #expect(failed.standardError.contains("cannot listen"), "\(failed.standardError)")
    let again = try kept.serve()
    again.kill()
  }

  @Test(
    .enabled(if: SmallDisk.isAvailable, "needs root, to mount a tmpfs"), .timeLimit(.minutes(15)),
    arguments: ["stopped", "killed", "killed, with an empty log"])
  func `a read-only data directory can be checked`(state: String) async throws {
    let kept = try await Kept(state == "killed" ? .open : .secured)
    let running = try kept.serve()
    if state == "stopped" {
      running.process.terminate()
      running.process.wait()
    } else {
      let worker = WorkerRegistration(name: "in the log", slots: 1, fingerprint: "x264")
      _ = try await kept.access.worker.send(
        ClientRequest(.post, "\(running.url)/workers", body: FarmCoding.encode(worker)))
      running.kill()
      if state != "killed" { try Database(.file(kept.ledger)).checkpoint() }
    }
    try? FileManager.default.removeItem(atPath: kept.ledger + "-shm")
    let disk = try SmallDisk(mebibytes: 8)
    defer { withExtendedLifetime(disk) {} }
    let data = disk.directory.path("data")
    try FileManager.default.copyItem(atPath: kept.data, toPath: data)
    try Tool.run("mount", ["-o", "remount,ro", disk.directory.path])
    let check = try Program.coordinator.run(["check", "--data", data, "--chunks"])
    #expect(check.status == 0, "\(check.standardOutput)\(check.standardError)")
    let backup = kept.scratch.path("backup.sqlite")
    #expect(try Program.coordinator.run(["backup", "--data", data, "--to", backup]).status == 0)
    let database = try Database(.file(backup), access: .readOnly)
    let names = try database.rows("SELECT name FROM workers") { try $0.get(0, as: String.self) }
    #expect(names.contains("in the log") == (state != "stopped"))
  }

  @Test(arguments: [
    ["check"], ["backup", "--data", "d"], ["restore", "--data", "d"], ["check", "--color"],
    ["check", "--data", "/nonexistent"],
  ])
  func `an invalid maintenance command exits with code 2`(arguments: [String]) throws {
    let outcome = try Program.coordinator.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.hasPrefix("sheaf-coordinator: "))
  }
}
