import CoordinatorSupport
import FarmAPI
import Foundation
import PostgreSQL
import Support
import Testing
import sheaf_coordinator

/// A ledger moves between SQLite and PostgreSQL without a loss.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LedgerMoveTests {
  private let directory: TemporaryDirectory
  private let data: String
  private let file: String
  private let address: ServerAddress

  init() throws {
    directory = try TemporaryDirectory()
    data = directory.path("data")
    file = "\(data)/ledger.sqlite"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    address = try ServerAddress.test(PostgreSQLServer.shared.get().makeDatabase())
  }

  /// Adds steps of a history to a ledger, and returns its answers.
  private func go(_ history: inout LedgerHistory, in ledger: Ledger) throws -> [String] {
    for _ in 0..<120 {
      let step = try history.next()
      do { try step(ledger) } catch is TransitionError {} catch is LedgerError {}
    }
    return try history.answers(of: ledger)
  }

  private func ledgers(endingIn suffix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasSuffix(suffix) }
  }

  @Test(arguments: Thoroughness.sample([7, 8] as [UInt64], every: 2))
  func `everything moves to PostgreSQL and back`(seed: UInt64) throws {
    var history = LedgerHistory(seed: seed)
    let first = try Ledger(.file(file))
    let before = try go(&history, in: first)
    let number = try first.jobs(of: nil, before: nil, limit: 1).first?.number
    first.close()

    let moved = try LedgerMove.toServer(data, address)
    #expect(moved.rows > 20)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try ledgers(endingIn: ".moved").map { "\(data)/\($0)" } == [moved.old])
    let second = try Ledger(at: address, data: data)
    #expect(try history.answers(of: second) == before)
    #expect(try second.jobs(of: nil, before: nil, limit: 1).first?.number == number)
    let later = try go(&history, in: second)
    #expect(later != before)
    second.close()
    let record = try String(contentsOfFile: "\(data)/ledger-owner.json", encoding: .utf8)

    #expect(try LedgerMove.fromServer(data, address) > 20)
    let third = try Ledger(.file(file))
    #expect(try history.answers(of: third) == later)
    #expect(try go(&history, in: third) != later)
    third.close()
    // The tables are still there, but belong to nobody.
    let error = #expect(throws: StorageError.self) { try Ledger(at: address, data: data) }
    #expect(error?.message.contains("was moved to SQLite") == true)
    // An old record of the directory does not bring them back.
    try Data(record.utf8).write(to: URL(fileURLWithPath: "\(data)/ledger-owner.json"))
    #expect(throws: StorageError.self) { try LedgerMove.fromServer(data, address) }
  }

  @Test(arguments: [1, 12, 20, 28])
  func `the ledger of an earlier release moves`(version: Int) throws {
    try LedgerFixture(version: version).load(to: file)
    _ = try LedgerMove.toServer(data, address)
    let old = try Ledger(.file("\(data)/\(try #require(ledgers(endingIn: ".moved").first))"))
    let new = try Ledger(reading: address)
    let jobs = try old.jobs()
    #expect(!jobs.isEmpty)
    #expect(try new.jobs().map(\.status) == jobs.map(\.status))
    for job in jobs {
      #expect(try new.entries(of: job.id) == old.entries(of: job.id))
      #expect(try new.tableDigest(of: job.id) == old.tableDigest(of: job.id))
      #expect(try new.unadopted(job.id).plan == old.unadopted(job.id).plan)
      #expect(try new.storedSubmission(of: job.id)?.head == old.storedSubmission(of: job.id)?.head)
    }
    #expect(try new.workers() == old.workers())
    #expect(try new.neededChunks() == old.neededChunks())
    old.close()
  }

  @Test func `a move that was interrupted begins again`() throws {
    var history = LedgerHistory(seed: 3)
    let ledger = try Ledger(.file(file))
    _ = try go(&history, in: ledger)
    ledger.close()
    let copy = directory.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: file, toPath: copy)
    let moved = try LedgerMove.toServer(data, address)
    // As if it had stopped before it took effect, and the coordinator had continued.
    let record = URL(fileURLWithPath: "\(data)/ledger-owner.json")
    let text = try String(contentsOf: record, encoding: .utf8)
    try Data(text.replacing(#""away""#, with: #""leaving""#).utf8).write(to: record)
    try FileManager.default.removeItem(atPath: moved.old)
    try FileManager.default.moveItem(atPath: copy, toPath: file)
    let continued = try Ledger(.file(file))
    let answers = try go(&history, in: continued)
    continued.close()
    _ = try LedgerMove.toServer(data, address)
    let new = try Ledger(at: address, data: data)
    #expect(try history.answers(of: new) == answers)
    new.close()
  }

  @Test func `an interrupted move back is repeated, and keeps what happened since`() throws {
    var history = LedgerHistory(seed: 5)
    let first = try Ledger(.file(file))
    _ = try go(&history, in: first)
    first.close()
    _ = try LedgerMove.toServer(data, address)
    let second = try Ledger(at: address, data: data)
    let answers = try go(&history, in: second)
    second.close()
    let record = URL(fileURLWithPath: "\(data)/ledger-owner.json")
    let before = try String(contentsOf: record, encoding: .utf8)
    _ = try LedgerMove.fromServer(data, address)
    // As if it had stopped before it forgot the database: with a ledger in SQLite, and without.
    for hasFile in [true, false] {
      if !hasFile { try FileManager.default.removeItem(atPath: file) }
      try Data(before.replacing(#""away""#, with: #""returning""#).utf8).write(to: record)
      _ = try LedgerMove.fromServer(data, address)
      let third = try Ledger(.file(file))
      #expect(try history.answers(of: third) == answers)
      third.close()
    }
  }

  @Test func `a ledger that another program reads is not moved`() throws {
    let ledger = try Ledger(.file(file))
    let job = try LedgerScene(ledger, in: directory).insert("a")
    ledger.close()
    let writer = try Ledger(.file(file))
    try writer.write([.jobPrioritized(job, 2)])
    let reader = try Ledger(reading: data)
    #expect(try reader.job(job) != nil)
    let error = #expect(throws: StorageError.self) { try LedgerMove.toServer(data, address) }
    #expect(error?.message.contains("another program is reading the ledger") == true)
    #expect(FileManager.default.fileExists(atPath: file))
    withExtendedLifetime((reader, writer)) {}
  }

  @Test func `a copy of a ledger in a database cannot be used after the ledger moved on`() throws {
    let ledger = try Ledger(.file(file))
    _ = try LedgerScene(ledger, in: directory).insert("a")
    ledger.close()
    // It stops after the copy, and the farm moves to another database.
    let copy = directory.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: file, toPath: copy)
    let moved = try LedgerMove.toServer(data, address)
    try FileManager.default.removeItem(atPath: moved.old)
    let record = URL(fileURLWithPath: "\(data)/ledger-owner.json")
    let text = try String(contentsOf: record, encoding: .utf8)
    try Data(text.replacing(#""away""#, with: #""leaving""#).utf8).write(to: record)
    try FileManager.default.moveItem(atPath: copy, toPath: file)
    let other = try ServerAddress.test(PostgreSQLServer.shared.get().makeDatabase())
    _ = try LedgerMove.toServer(data, other)
    let error = #expect(throws: StorageError.self) { try Ledger(at: address, data: data) }
    #expect(error?.message.contains("belongs to another data directory") == true)
    try Ledger(at: other, data: data).close()
    // Nor can another farm overwrite it.
    let second = try TemporaryDirectory()
    try Ledger(.file(second.path("ledger.sqlite"))).close()
    #expect(throws: StorageError.self) { try LedgerMove.toServer(second.path, address) }
  }

  @Test func `a long URL moves`() throws {
    let ledger = try Ledger(.file(file))
    let scene = LedgerScene(ledger, in: directory)
    let job = try scene.insert("a")
    var random = SeededRandom(seed: 1)
    let noise = (0..<7900).map { _ in
      "0123456789abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "x"
    }
    let url = "https://a.example.org/\(String(noise))"
    let asset = AssetReference(digest: LedgerScene.digest("long"), byteCount: 5)
    try ledger.keep(asset, fetchedFrom: url, for: job, of: "ada")
    ledger.close()
    _ = try LedgerMove.toServer(data, address)
    let moved = try Ledger(at: address, data: data)
    #expect(try moved.fetchedAssets(of: job) == [url: asset])
    let changed = AssetReference(digest: LedgerScene.digest("longer"), byteCount: 6)
    try moved.keep(changed, fetchedFrom: url, for: job, of: "ada")
    #expect(try moved.fetchedAssets(of: job) == [url: changed])
    moved.close()
  }

  @Test func `a database with a ledger in use is not overwritten`() throws {
    let other = try TemporaryDirectory()
    let used = try Ledger(at: address, data: other.path)
    let job = try LedgerScene(used, in: other).insert("a")
    used.close()
    try Ledger(.file(file)).close()
    let error = #expect(throws: StorageError.self) { try LedgerMove.toServer(data, address) }
    #expect(error?.message.contains("already has a ledger") == true)
    #expect(try Ledger(reading: address).unfinishedJobs().map(\.id) == [job])
    #expect(FileManager.default.fileExists(atPath: file))
  }
}
