import Crypto
import FarmAPI
import Foundation
import Planning
import PostgreSQL
import SQL
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// The number of segments of a large ledger; 0 if there should be none.
private let segmentCount =
  ProcessInfo.processInfo.environment["SHEAF_LEDGER_SEGMENTS"].flatMap(Int.init) ?? 0

extension Trait where Self == ConditionTrait {
  fileprivate static var onDemand: Self {
    .enabled(
      if: segmentCount > 0, "takes hours: SHEAF_LEDGER_SEGMENTS is the number of segments")
  }
}

/// `make bench-ledger`: measures how a ledger in PostgreSQL grows while a snapshot is held, and what `VACUUM` frees
/// afterwards. The server does not wait for its disk, so the segments per second are not those of a farm.
@Suite(.mayBlock, .timeLimit(.minutes(600)), .onDemand)
struct LedgerVolumeTests {
  /// The default of `--max-segments-per-job`.
  private static let segmentsPerJob = 20_000
  /// The number of leases in force at a time, each of another worker.
  private static let workerCount = 5000

  /// PostgreSQL's statistics of a table.
  private struct Table: Hashable {
    let name: String
    let bytes, indexBytes, rows, deadRows: Int
  }

  private let server: PostgreSQLServer
  private let directory: TemporaryDirectory
  private let address: ServerAddress

  init() throws {
    server = try PostgreSQLServer()
    directory = try TemporaryDirectory()
    address = try .test(server.makeDatabase())
  }

  @Test
  func
    `rows that die while a snapshot is held are vacuumed afterwards, and their room is used again`()
    throws
  {
    let count = segmentCount
    let ledger = try Ledger(at: address, data: directory.path)
    let scene = LedgerScene(ledger, in: directory)
    let workers = try (0..<Self.workerCount).map { try scene.register("worker \($0)") }
    let jobs = try plan(count, in: scene)
    let watcher = try Connection(to: address, patience: .seconds(3600))
    try watcher.execute("VACUUM ANALYZE")
    let planned = try tables(watcher)
    print("| segments | s | segments/s | database, MB |\n|---|---|---|---|")

    let holder = try Connection(to: address)
    try holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    _ = try holder.run("SELECT count(*) FROM segments")
    let start = ContinuousClock.now
    try render(count, of: jobs, by: workers, in: scene) { done, duration in
      let seconds = duration / .seconds(1)
      let rate = String(format: "%.1f", Double(max(count / 10, 1)) / seconds)
      print("| \(done) | \(Int(seconds)) | \(rate) | \(megabytes(try size(watcher))) |")
    }
    let held = ContinuousClock.now - start
    // The end of its connection completes the server's statistics.
    ledger.close()
    let dead = try tables(watcher)
    try holder.execute("ROLLBACK")
    try watcher.execute("VACUUM")
    // While the server collects statistics by itself, it holds a snapshot, too.
    try watcher.execute("VACUUM segments")
    try watcher.execute("VACUUM attempts")
    let vacuumed = try tables(watcher)
    print("\nThe snapshot was held for \(Int(held / .seconds(1))) s.\n")
    show([("before", planned), ("with the snapshot", dead), ("after VACUUM", vacuumed)])

    let states = try watcher.rows("SELECT state, count(*) AS count FROM segments GROUP BY state") {
      (try $0.get("state") as String, try $0.get("count") as Int)
    }
    #expect(states.map(\.0) == ["completed"] && states.map(\.1) == [count])
    let attempts = try watcher.first(
      "SELECT count(*) AS count FROM attempts WHERE outcome = 'completed'"
    ) { try $0.get("count") as Int }
    #expect(attempts == count)
    // A lease and a delivery change a segment's row, and the delivery changes the attempt's.
    let deadSegments = try #require(dead.first { $0.name == "segments" }).deadRows
    #expect(deadSegments >= 2 * count * 9 / 10)
    let segments = try #require(vacuumed.first { $0.name == "segments" })
    #expect(segments.deadRows == 0)
    #expect(vacuumed.first { $0.name == "attempts" }?.deadRows == 0)

    // The next jobs use the room of the dead rows.
    let next = try Ledger(at: address, data: directory.path)
    defer { next.close() }
    _ = try plan(count, in: LedgerScene(next, in: directory))
    try watcher.execute("ANALYZE")
    let grown = try #require(tables(watcher).first { $0.name == "segments" })
    #expect(grown.rows > segments.rows * 19 / 10)
    #expect(grown.bytes < segments.bytes * 11 / 10)
  }

  /// Plans jobs with a number of segments in all.
  private func plan(_ count: Int, in scene: LedgerScene) throws -> [JobID] {
    try stride(from: 0, to: count, by: Self.segmentsPerJob).map { start in
      try scene.plan(
        SecureRandom.token(), segments: min(Self.segmentsPerJob, count - start))
    }
  }

  /// Leases all segments and accepts their chunks, each after ``workerCount`` other leases.
  ///
  /// - Parameter report: called after each tenth of the segments with their number and the time that this tenth took.
  private func render(
    _ count: Int, of jobs: [JobID], by workers: [WorkerEntry], in scene: LedgerScene,
    _ report: (_ done: Int, Duration) throws -> Void
  ) throws {
    var leased: [Grant?] = Array(repeating: nil, count: workers.count)
    var done = 0
    var start = ContinuousClock.now
    for number in 0..<count + workers.count {
      let place = number % workers.count
      if let grant = leased[place] {
        try accept(grant, number: number - workers.count, of: workers[place], in: scene)
        leased[place] = nil
        done += 1
        if done.isMultiple(of: max(count / 10, 1)) {
          try report(done, ContinuousClock.now - start)
          start = .now
        }
      }
      guard number < count else { continue }
      let grant = Grant(
        token: LeaseToken(rawValue: SecureRandom.token()), worker: workers[place].id,
        segment: SegmentID(
          job: jobs[number / Self.segmentsPerJob], index: number % Self.segmentsPerJob),
        attempt: 1)
      try scene.write(.attemptBegan(grant, at: Date()))
      leased[place] = grant
    }
  }

  private func accept(
    _ grant: Grant, number: Int, of worker: WorkerEntry, in scene: LedgerScene
  ) throws {
    let (sha256, date) = (LedgerScene.digest("chunk \(number)"), Date())
    try scene.write(
      .chunkAccepted(
        grant, LedgerScene.chunk(sha256), by: LedgerScene.deliverer(worker), at: date),
      .attemptLogged(
        grant,
        """
        2026-11-30T12:00:00.000Z attempt 1 at segment \(grant.segment.index) leased to \(worker.name)
        2026-11-30T12:00:05.000Z the chunk was accepted
        """),
      .chunkKept(
        grant.segment,
        KeptChunk(
          key: LedgerScene.digest("key \(number)"), fingerprint: LedgerScene.fingerprint,
          sha256: sha256, byteCount: LedgerScene.chunkBytes), at: date))
  }

  private func size(_ connection: Connection) throws -> Int {
    try connection.first("SELECT pg_database_size(current_database()) AS size") {
      try $0.get("size") as Int
    } ?? 0
  }

  private func tables(_ connection: Connection) throws -> [Table] {
    try connection.rows(
      """
      SELECT relname::text AS name, pg_relation_size(relid) AS bytes, pg_indexes_size(relid) AS indexes,
        n_live_tup AS rows, n_dead_tup AS dead
      FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC, 1
      """
    ) { row in
      Table(
        name: try row.get("name"), bytes: try row.get("bytes"),
        indexBytes: try row.get("indexes"), rows: try row.get("rows"),
        deadRows: try row.get("dead"))
    }
  }

  /// Prints the tables that are large.
  private func show(_ stages: [(title: String, tables: [Table])]) {
    let titles = stages.map { "\($0.title): MB | indexes, MB | rows | dead rows" }
    print("| table | \(titles.joined(separator: " | ")) |")
    print("|\(String(repeating: "---|", count: 1 + 4 * stages.count))")
    for table in stages.last?.tables ?? [] where table.bytes + table.indexBytes > 1_000_000 {
      let cells = stages.map { stage in
        guard let found = stage.tables.first(where: { $0.name == table.name }) else { return "" }
        return
          "\(megabytes(found.bytes)) | \(megabytes(found.indexBytes)) | \(found.rows) | \(found.deadRows)"
      }
      print("| \(table.name) | \(cells.joined(separator: " | ")) |")
    }
  }

  private func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1e6) }
}
