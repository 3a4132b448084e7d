import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import PostgreSQL
import S3
import Support
import Testing
import Timeline
import sheaf_coordinator

/// Recovers chunks from a bucket after the ledger has lost their acceptance.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct LostChunkTests: BucketSuite {
  let server: S3Server
  let directory: TemporaryDirectory
  let prefix = S3Server.newPrefix()
  private let database: PostgreSQLServer
  private let ledgerURL: String

  init() throws {
    server = try S3Server.shared.get()
    directory = try TemporaryDirectory()
    database = try PostgreSQLServer.shared.get()
    ledgerURL = try database.makeDatabase()
  }

  /// Runs a farm, and waits until it has stopped.
  private func run<Value>(
    auditShare: Double = 0, hoursLater hours: Double = 0, _ body: (TestFarm) async throws -> Value
  ) async throws -> Value {
    let value: Value
    do {
      let farm = try await TestFarm(
        in: directory, ledger: .server(.test(ledgerURL)), objects: .inBucket(client()),
        auditShare: auditShare, calendar: { Date(timeIntervalSinceNow: hours * 3600) })
      value = try await body(farm)
      await farm.coordinator.stop()
    }
    try await untilUnlocked(directory.path("data"))
    return value
  }

  private var name: String { URL(fileURLWithPath: ledgerURL).lastPathComponent }
  private var copy: String { name + "_copy" }

  /// Copies the ledger as it is now.
  private func copyLedger() throws {
    try database.run("CREATE DATABASE \(copy) TEMPLATE \(name)", in: "postgres")
  }

  /// Replaces the ledger with its copy, like a failover to a standby that lagged behind.
  private func loseCommits() throws {
    try database.run("DROP DATABASE \(name) WITH (FORCE)", in: "postgres")
    try database.run("ALTER DATABASE \(copy) RENAME TO \(name)", in: "postgres")
  }

  /// Delivers two chunks, and makes the ledger lose everything about the second.
  private func loseChunk(
    auditShare: Double = 0
  ) async throws -> (job: JobStatus, kept: Lease, lost: Lease) {
    let (job, worker, kept) = try await run { farm in
      let (job, worker) = (try await farm.submit(), try await farm.register())
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease).status == .ok)
      return (job, worker, lease)
    }
    try copyLedger()
    let lost = try await run(auditShare: auditShare) { farm in
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease).status == .ok)
      return lease
    }
    try loseCommits()
    return (job, kept, lost)
  }

  /// Changes a field of the note of a lease's chunk.
  private func changeNote(of lease: Lease, _ field: String, to value: Any?) throws {
    let chunk = TestFarm.chunk(of: lease)
    let object = StoredObject(.chunk, Digest.of(chunk))
    let head = try #require(try client().head(object.key))
    let data = try #require(head.note.flatMap { Data(base64Encoded: $0) })
    var note = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(note[field] != nil)
    note[field] = value
    try put(chunk, note: JSONSerialization.data(withJSONObject: note).base64EncodedString())
  }

  /// Stores a chunk with a note.
  private func put(_ chunk: Data, note: String) throws {
    let (path, digest) = (directory.path("chunk"), Digest.of(chunk))
    try chunk.write(to: URL(filePath: path))
    try client().put(
      fileAt: path, digest, as: StoredObject(.chunk, digest).key, mark: "1.\(digest)", note: note)
  }

  private func completed(_ job: JobStatus, on farm: TestFarm) async throws -> [Int] {
    try await farm.segments(of: job).filter { $0.state == .completed }.map(\.index)
  }

  @Test func `chunks whose acceptance the ledger has lost are accepted again`() async throws {
    let (job, worker, running) = try await run { farm in
      let (job, worker) = (try await farm.submit(), try await farm.register())
      _ = try await farm.segments(of: job)
      return (job, worker, try await farm.lease(worker))
    }
    try copyLedger()
    let lost = try await run { farm in
      // The ledger loses the acceptance of the first chunk, and everything about the other two.
      #expect(try await farm.deliver(running).status == .ok)
      let second = try await farm.lease(worker)
      #expect(try await farm.deliver(second).status == .ok)
      let third = try await farm.lease(worker)
      let name = ChunkFolder.newFileName()
      #expect(try await leave(TestFarm.chunk(of: third), third, on: farm, as: name).status == .ok)
      return [running, second, third]
    }
    try loseCommits()
    try await run { farm in
      #expect(try await completed(job, on: farm).sorted() == lost.map(\.segment).sorted())
      for segment in try await farm.segments(of: job) where segment.state == .completed {
        #expect(segment.attempts == 1 && segment.delivery?.worker == "host")
        let attempts: [SegmentAttempt] = try await farm.get(
          "/jobs/\(job.id)/segments/\(segment.index)/attempts")
        #expect(attempts.map(\.outcome) == ["completed"])
      }
      // A worker that received no response delivers its chunk again.
      #expect(try await farm.deliver(lost[1]).status == .ok)
      let done = try await farm.finish(job, by: worker)
      #expect(done.state == .completed && done.segmentsReused ?? 0 == 0)
      // Recovered chunks are also kept for later jobs.
      let again = try await farm.end(of: farm.submit(rerenders: false))
      #expect(again.state == .completed && again.segmentsReused == again.segments.total)
    }
  }

  @Test func `a chunk whose lease the ledger has is accepted at any counter`()
    async throws
  {
    let (job, lease) = try await run { farm in
      let job = try await farm.submit()
      return (job, try await farm.lease(farm.register()))
    }
    try copyLedger()
    let status = try await run { farm in try await farm.deliver(lease).status }
    #expect(status == .ok)
    try loseCommits()
    // No other commits were lost.
    try changeNote(of: lease, "commits", to: 1)
    let found = try await run { farm in try await completed(job, on: farm) }
    #expect(found == [lease.segment])
  }

  @Test func `a lost chunk is not used if its worker's chunks were forgotten`()
    async throws
  {
    let job = try await loseChunk().job
    try ForgetFile(data: directory.path("data")).update {
      $0.append(ChunkSelection(worker: "host", until: Date(timeIntervalSinceNow: 60)))
    }
    // What was delivered before counts, not what is accepted again afterward.
    try await run(hoursLater: 1) { farm in
      #expect(try await completed(job, on: farm) == [])
      try await eventually("the chunk is removed") { try keys(.chunk) == [] }
    }
  }

  @Test(arguments: [(1.0, 0.0), (0, 1)])
  func `a chunk of a farm with audits is not accepted without one`(
    before: Double, after: Double
  ) async throws {
    let (job, kept, lost) = try await loseChunk(auditShare: before)
    #expect(lost.segment != kept.segment)
    let found = try await run(auditShare: after) { farm in try await completed(job, on: farm) }
    #expect(found == [kept.segment])
  }

  /// Changes to a lost chunk's note. Each of them but that of the date must prevent its acceptance.
  private static let changes: [String: any Sendable] = [
    "ledger": "another ledger", "commits": 1, "plan": "\(Digest.of([1]))", "worker": "unknown",
    "job": "unknown", "segment": 10_000, "date": 0,
  ]

  @Test(arguments: changes.keys.sorted())
  func `a chunk whose note does not match is not accepted again`(field: String) async throws {
    let (job, kept, lost) = try await loseChunk()
    try changeNote(of: lost, field, to: Self.changes[field])
    let expected = [kept.segment] + (field == "date" ? [lost.segment] : [])
    try await run { farm in
      #expect(try await completed(job, on: farm).sorted() == expected.sorted())
      try await eventually("other chunks are removed") {
        try keys(.chunk).count == expected.count
      }
    }
  }

  @Test(arguments: [
    "UPDATE jobs SET state = 'cancelled'", "UPDATE segments SET state = 'failed'",
    "UPDATE jobs SET fingerprint = 'another'",
  ])
  func `a chunk that its job cannot use is not accepted again`(change: String) async throws {
    let (job, _, lost) = try await loseChunk()
    try database.run(change, in: name)
    let segments = try await run { farm in try await farm.segments(of: job) }
    #expect(segments.first { $0.index == lost.segment }.map { $0.state != .completed } == true)
  }

  @Test func `a job whose binding was lost is bound to the encoders of its chunk`() async throws {
    let job = try await run { farm in
      let job = try await farm.submit()
      try await farm.wait(for: job, until: .rendering)
      _ = try await farm.register()
      return job
    }
    try copyLedger()
    let worker = try database.run("SELECT id FROM workers", in: name)
    let lease = try await run { farm in
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease).status == .ok)
      return lease
    }
    try loseCommits()
    #expect(try database.run("SELECT fingerprint IS NULL FROM jobs", in: name) == "t")
    let found = try await run { farm in try await completed(job, on: farm) }
    #expect(found == [lease.segment])
    #expect(try database.run("SELECT fingerprint FROM jobs", in: name) == "x264")
  }

  @Test func `a chunk that conceals damage has no note`() async throws {
    let damage = Concealment(asset: Digest.of([1]), time: RationalTime(0), frames: 0..<1)
    let notes = try await run { farm in
      _ = try await farm.submit()
      let worker = try await farm.register()
      #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
      #expect(try await farm.deliver(farm.lease(worker), concealing: [damage]).status == .ok)
      return try keys(.chunk).map { try client().head($0)?.note != nil }
    }
    #expect(notes.count(where: \.self) == 1 && notes.count == 2)
  }

  @Test func `a chunk that the ledger has dropped is not accepted again`() async throws {
    let (job, lease, note) = try await run { farm in
      let (job, worker) = (try await farm.submit(), try await farm.register())
      let lease = try await farm.lease(worker)
      #expect(try await farm.deliver(lease).status == .ok)
      let key = try #require(try keys(.chunk).first)
      return (job, lease, try #require(try client().head(key)?.note))
    }
    let forgotten = ChunkSelection(worker: "host", until: Date(timeIntervalSinceNow: 3600))
    try ForgetFile(data: directory.path("data")).update { $0.append(forgotten) }
    try await run { farm in
      #expect(try await completed(job, on: farm) == [])
      try await eventually("the chunk is removed") { try keys(.chunk) == [] }
    }
    try ForgetFile(data: directory.path("data")).update { $0 = [] }
    // Put back, as if the coordinator had been killed before the store removed it.
    try put(TestFarm.chunk(of: lease), note: note)
    try await run { farm in
      #expect(try await completed(job, on: farm) == [])
      try await eventually("the chunk is removed again") { try keys(.chunk) == [] }
    }
  }
}
