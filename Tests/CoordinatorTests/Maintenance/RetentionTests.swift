import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import SQL
import SQLite
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Which files and records are removed, and when.
@Suite(.mayBlock) struct RetentionTests {
  private static let hour = 3600.0
  private static let day = 86_400.0

  /// The digests of the files in a store.
  private func digests(_ folder: String, of farm: TestFarm) throws -> Set<Digest> {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: farm.directory.path("data/\(folder)"))
    return Set(names.compactMap { Digest(hex: URL(filePath: $0).lastPathComponent) })
  }

  private func tidy(_ farm: TestFarm, after seconds: Double) async throws {
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: seconds))
  }

  /// Tidies up, and makes a request before the first slice of files is removed.
  ///
  /// - Returns: the status of the response; `nil` if there was none.
  private func tidy(
    _ farm: TestFarm, after seconds: Double,
    requesting request: @escaping @Sendable () async throws -> Status
  ) async throws -> Status? {
    let answers = Mutex<[Status?]>([])
    farm.turns.set {
      guard answers.withLock({ $0.isEmpty }) else { return }
      let status = try? await request()
      answers.withLock { $0.append(status) }
    }
    try await tidy(farm, after: seconds)
    farm.turns.set(nil)
    return answers.withLock { $0.first ?? nil }
  }

  /// A farm with a job that has one accepted chunk.
  private func begun(_ change: (inout StorageSettings) -> Void = { _ in }) async throws
    -> (TestFarm, JobStatus, Digest)
  {
    var settings = StorageSettings()
    change(&settings)
    let farm = try await TestFarm(storage: settings)
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(try await farm.deliver(lease).status == .ok)
    return (farm, job, Digest.of(TestFarm.chunk(of: lease)))
  }

  @Test func `files that a live job needs are kept, no matter how old they are`() async throws {
    let (farm, _, chunk) = try await begun {
      $0.chunkBytes = 0
      $0.assetBytes = 0
    }
    try await tidy(farm, after: 1000 * Self.day)
    #expect(try digests("chunks", of: farm) == [chunk])
    #expect(try digests("assets", of: farm) == [Digest.of(Data("a clip".utf8))])
  }

  @Test func `a cancelled job's chunks are kept for a retry, and then removed`() async throws {
    let (farm, job, chunk) = try await begun()
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 6 * Self.day)
    #expect(try digests("chunks", of: farm) == [chunk])
    try await tidy(farm, after: 8 * Self.day)
    #expect(try digests("chunks", of: farm) == [])
  }

  @Test func `concealments are removed with their chunk, but a finished job keeps them`()
    async throws
  {
    let concealment = Concealment(
      asset: Digest.of(Data("a clip".utf8)), time: RationalTime(1), frames: 0..<2)
    let farm = try await TestFarm()
    let worker = try await farm.register()
    let cancelled = try await farm.submit(rerenders: false)
    #expect(
      try await farm.deliver(farm.lease(worker), concealing: [concealment]).status == .ok)
    _ = try await farm.send(.post, "/jobs/\(cancelled.id)/cancel")
    func concealed(_ job: JobStatus) async throws -> Int? {
      try await farm.get("/jobs/\(job.id)", as: JobStatus.self).concealedCount
    }
    try await tidy(farm, after: 6 * Self.day)
    #expect(try await concealed(cancelled) == 1)
    try await tidy(farm, after: 8 * Self.day)
    #expect(try await concealed(cancelled) == nil)

    let finished = try await farm.submit()
    for _ in 0..<9 {
      #expect(
        try await farm.deliver(farm.lease(worker), concealing: [concealment]).status
          == .ok)
    }
    #expect(try await farm.end(of: finished).state == .completed)
    try await tidy(farm, after: 100 * Self.day)
    #expect(try digests("chunks", of: farm) == [])
    #expect(try await concealed(finished) == 9)
  }

  @Test func `assets fetched for a cancelled job are kept for a retry, and then removed`()
    async throws
  {
    let server = try MediaServer(Data("a clip".utf8))
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = true
    var settings = StorageSettings()
    settings.assetBytes = 0
    let farm = try await TestFarm(storage: settings, sources: sources)
    let project = #"{"version": 1, "sequence": [{"clip": "\#(server.origin)/file"}]}"#
    let job: JobStatus = try await farm.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: [:])
    ).wire()
    _ = try await farm.lease(farm.register())
    let asset = Digest.of(Data("a clip".utf8))
    try await tidy(farm, after: 1000 * Self.day)
    #expect(try digests("assets", of: farm) == [asset])
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 6 * Self.day)
    #expect(try digests("assets", of: farm) == [asset])
    try await tidy(farm, after: 8 * Self.day)
    #expect(try digests("assets", of: farm) == [])
  }

  @Test func `a chunk stays if its job is retried while chunks are removed`() async throws {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(try await farm.deliver(lease).status == .ok)
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    let status = try await tidy(farm, after: 8 * Self.day) {
      try await farm.send(.post, "/jobs/\(job.id)/retry").status
    }
    #expect(status == .ok)
    #expect(try digests("chunks", of: farm) == [Digest.of(TestFarm.chunk(of: lease))])
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 1)
  }

  @Test func `an asset stays if its job is retried while assets are removed`() async throws {
    let farm = try await TestFarm(ledger: .onDisk)
    let job = try await farm.submit()
    _ = try await farm.lease(farm.register())
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    let status = try await tidy(farm, after: 31 * Self.day) {
      try await farm.send(.post, "/jobs/\(job.id)/retry").status
    }
    #expect(status == .ok)
    #expect(try digests("assets", of: farm) == [Digest.of(Data("a clip".utf8))])
  }

  @Test func `an asset stays if a job that names it is submitted while assets are removed`()
    async throws
  {
    let farm = try await TestFarm(ledger: .onDisk)
    let asset = try await farm.upload(Data("a clip".utf8))
    let name = asset.digest.description
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -40 * Self.day)],
      ofItemAtPath: farm.directory.path("data/assets/\(name.prefix(2))/\(name)"))
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    let status = try await tidy(farm, after: 0) {
      try await farm.post("/jobs", submission).status
    }
    #expect(status == .created)
    #expect(try digests("assets", of: farm) == [asset.digest])
  }

  @Test func `records of kept chunks are removed in ranges`() throws {
    let ledger = try Ledger(.memory)
    let range = Ledger.keptRange
    try ledger.connection.run(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= ?1)
      INSERT INTO kept_chunks (content_key, fingerprint, sha256, bytes, used_at)
      SELECT 'key ' || n, 'x264', 'chunk', 1, n FROM numbers
      """, range)
    let date = Date(timeIntervalSince1970: Double(range + 1))
    #expect(try ledger.dropKeptChunks(unusedSince: date))
    #expect(try !ledger.dropKeptChunks(unusedSince: date))
    let left: [Int] = try ledger.connection.rows("SELECT used_at FROM kept_chunks") {
      Int(try $0.get(0) as Double)
    }
    #expect(left == [range + 1])
  }

  @Test func `records of concealments in removed chunks are removed in ranges`() throws {
    let ledger = try Ledger(.memory)
    let range = Ledger.concealmentRange
    try ledger.connection.run(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= ?1)
      INSERT INTO chunk_concealments (sha256, concealments)
      SELECT printf('%064x', n), CAST('[]' AS BLOB) FROM numbers
      """, range)
    func digest(_ number: Int) throws -> Digest {
      let hex = String(number, radix: 16)
      return try #require(Digest(hex: String(repeating: "0", count: 64 - hex.count) + hex))
    }
    let (last, kept) = (try digest(range + 1), try digest(1))
    #expect(
      try ledger.dropConcealments(where: { $0 != kept }) == digest(range).description)
    #expect(
      try ledger.dropConcealments(after: digest(range).description, where: { $0 != kept })
        == last.description)
    #expect(try ledger.dropConcealments(after: last.description, where: { $0 != kept }) == nil)
    let left: [String] = try ledger.connection.rows("SELECT sha256 FROM chunk_concealments") {
      try $0.get(0)
    }
    #expect(left == [kept.description])
  }

  @Test func `chunks of ended jobs are removed if there are too many`() async throws {
    let (farm, job, _) = try await begun { $0.chunkBytes = 2 }
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 2 * Self.hour)
    #expect(try digests("chunks", of: farm) == [])
  }

  @Test(.timeLimit(.minutes(15)))
  func `a retried job whose chunks are gone renders them again`() async throws {
    let (farm, job, _) = try await begun { $0.chunkBytes = 0 }
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 2 * Self.hour)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    let worker = try await farm.register()
    let status = try await farm.finish(job, by: worker)
    #expect(status.state == .completed)
  }

  @Test func `chunks of old cancelled jobs do not count toward the limit of kept chunks`()
    async throws
  {
    let (farm, job, _) = try await begun { $0.chunkBytes = 4 }
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 9 * Self.day)
    #expect(try digests("chunks", of: farm) == [])
    let other = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(try await farm.deliver(lease).status == .ok)
    _ = try await farm.send(.post, "/jobs/\(other.id)/cancel")
    try await tidy(farm, after: 2 * Self.hour)
    #expect(try digests("chunks", of: farm).count == 1)
  }

  @Test func `an unused asset is removed after a while, or if there are too many`() async throws {
    let farm = try await TestFarm()
    let asset = try await farm.upload(Data("unused".utf8)).digest
    try await tidy(farm, after: 29 * Self.day)
    #expect(try digests("assets", of: farm) == [asset])
    try await tidy(farm, after: 31 * Self.day)
    #expect(try digests("assets", of: farm) == [])
    var settings = StorageSettings()
    settings.assetBytes = 5
    let small = try await TestFarm(storage: settings)
    _ = try await small.upload(Data("unused".utf8))
    try await tidy(small, after: 2 * Self.hour)
    #expect(try digests("assets", of: small) == [])
  }

  @Test func `a media index is removed with its asset`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    _ = try await farm.lease(farm.register())
    let asset = Digest.of(Data("a clip".utf8))
    #expect(try digests("indexes", of: farm) == [asset])
    try await tidy(farm, after: 1000 * Self.day)
    #expect(try digests("indexes", of: farm) == [asset], "the job is not finished")
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 29 * Self.day)
    #expect(try digests("indexes", of: farm) == [asset], "its asset is still there")
    try await tidy(farm, after: 31 * Self.day)
    #expect(try digests("assets", of: farm) == [])
    #expect(try digests("indexes", of: farm) == [])
  }

  @Test func `an unused media index of a file under a media root is removed after a while`()
    async throws
  {
    let media = try TemporaryDirectory()
    let path = media.path("a.mp4")
    let bytes = Data("a shared clip".utf8)
    try bytes.write(to: URL(filePath: path))
    let farm = try await TestFarm(mediaRoots: [media.path])
    let asset = AssetReference(
      digest: Digest.of(bytes), byteCount: Int64(bytes.count), path: path)
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: ["a.mp4": asset])
    let job: JobStatus = try await farm.post("/jobs", submission).wire()
    _ = try await farm.lease(farm.register())
    _ = try await farm.send(.post, "/jobs/\(job.id)/cancel")
    try await tidy(farm, after: 29 * Self.day)
    #expect(try digests("indexes", of: farm) == [asset.digest])
    try await tidy(farm, after: 31 * Self.day)
    #expect(try digests("indexes", of: farm) == [])
  }

  @Test func `files that are not in the ledger are removed unless they are recent`() async throws {
    let farm = try await TestFarm()
    let stray = Digest.of(Data("stray".utf8))
    let folder = farm.directory.path("data/chunks/\(stray.description.prefix(2))")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let job = try await farm.submit()
    let files = [
      "\(folder)/\(stray)", farm.directory.path("data/outputs/\(job.id).mp4"),
      farm.directory.path("data/uploads/\(stray).part"),
    ]
    for file in files { try Data("stray".utf8).write(to: URL(filePath: file)) }
    try await tidy(farm, after: Self.hour / 2)
    #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    try await tidy(farm, after: 8 * Self.day)
    #expect(!files.contains { FileManager.default.fileExists(atPath: $0) })
  }

  @Test func `a finished file is kept even if its job is not in the ledger`() async throws {
    let farm = try await TestFarm()
    let film = farm.directory.path("data/outputs/k2v9.mp4")
    try Data("film".utf8).write(to: URL(filePath: film))
    try await tidy(farm, after: 1000 * Self.day)
    #expect(FileManager.default.fileExists(atPath: film))
  }

  @Test(arguments: ["outputs/k2v9.mp4", "chunks/00/chunk", "assets/00/asset"])
  func `a coordinator without its ledger refuses to start and removes nothing`(file: String)
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("data/\(file)")
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("film".utf8).write(to: URL(filePath: path))
    // SQLite accepts an empty file as a database.
    try Data().write(to: URL(filePath: directory.path("data/ledger.sqlite")))
    let outcome = try Program.coordinator.run(
      ["serve", "--data", directory.path("data"), "--port", "0"])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("there is no ledger"))
    #expect(outcome.standardError.contains("sheaf-coordinator restore --data"))
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
