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

/// A scripted job whose coordinator is killed in the middle of every third of its writes, or of each in a thorough run: to the ledger, its log, the chunk
/// store, the asset store, the index cache and the output. Everything that it acknowledged before must be there after.
///
/// Clients use tokens, except at every tenth crash point.
@Suite(.mayBlock, .serialized) struct CrashPointTests {
  /// The results that the coordinator acknowledged to the script.
  private struct Acknowledged {
    var asset: Digest?
    var job: String?
    var worker: String?
    var chunks: [Int: Digest] = [:]
    var output: Data?
  }

  private static let clip = Data("a clip".utf8)
  /// The file of an undisturbed run.
  private static let output = Data((0..<9).map { "<\($0)>" }.joined().utf8)
  /// A folder in memory, where thousands of small files are fast. Flushing to a real disk is not tested here.
  private static let memory = "/dev/shm"

  /// The script: upload, submit, register, lease, deliver, fetch. It stops at the first failure.
  private func play(
    on farm: TestFarm, while isAlive: () -> Bool, into known: inout Acknowledged
  ) async throws {
    let digest = Digest.of(Self.clip)
    guard try await upload(digest, to: farm) else { return }
    known.asset = digest
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project,
      assets: ["a.mp4": AssetReference(digest: digest, byteCount: Int64(Self.clip.count))])
    let submitted = try await farm.post("/jobs", submission)
    guard submitted.status == .created else { return }
    let job: JobStatus = try await submitted.wire()
    known.job = job.id
    let registered = try await farm.post(
      "/workers", WorkerRegistration(name: "host", slots: 1, fingerprint: "x264"))
    guard registered.status == .created else { return }
    let worker = try await registered.wire(as: WorkerWelcome.self).id
    known.worker = worker
    try await eventually("the job completes, or the farm dies", every: .milliseconds(2)) {
      while isAlive() {
        let answer = try await farm.send(.post, "/workers/\(worker)/leases")
        guard answer.status == .ok else { break }
        let lease: Lease = try await answer.wire()
        // An earlier job with the same chunks may interfere for a moment.
        guard try await farm.deliver(lease).status == .ok else { break }
        known.chunks[lease.segment] = Digest.of(TestFarm.chunk(of: lease))
      }
      let status = try await farm.send(.get, "/jobs/\(job.id)")
      guard status.status == .ok else { return true }
      guard try await status.wire(as: JobStatus.self).state == .completed else {
        return !isAlive()
      }
      known.output = try await farm.send(.get, "/jobs/\(job.id)/output").content()
      return true
    }
  }

  /// Uploads the clip, or the missing rest of it, and returns whether it is stored.
  private func upload(_ digest: Digest, to farm: TestFarm) async throws -> Bool {
    let path = "/assets/\(digest)"
    let first = try await farm.send(.put, path, body: Self.clip)
    guard first.status == .conflict, let offset = first.headers["Upload-Offset"].flatMap(Int.init)
    else { return first.status == .created }
    let rest = try await farm.send(
      .put, path,
      headers: ["Upload-Offset": String(offset), "Upload-Length": String(Self.clip.count)],
      body: Self.clip.dropFirst(offset))
    return rest.status == .created
  }

  /// Starts a coordinator on the files that the crash left, and makes sure that nothing acknowledged is missing and
  /// that the job ends.
  private func survive(
    _ known: Acknowledged, in directory: TemporaryDirectory, at point: Int, _ tokens: FarmTokens?
  ) async throws {
    let farm = try await TestFarm(in: directory, ledger: .onDisk, tokens: tokens)
    if let asset = known.asset {
      let there = try await farm.send(.head, "/assets/\(asset)").status
      #expect(there == .ok, "write \(point): an uploaded asset is gone")
    }
    if let job = known.job {
      let status: JobStatus = try await farm.get("/jobs/\(job)")
      #expect(status.state != .failed, "write \(point): \(status.failure?.message ?? "")")
      let segments: [SegmentStatus] = try await farm.get("/jobs/\(job)/segments")
      for (number, chunk) in known.chunks {
        #expect(segments[number].state == .completed, "write \(point): segment \(number) is lost")
        let path = directory.stored(chunk, in: "chunks")
        let found = try? Digest.of(file: path)
        // The job may have completed by now.
        let now: JobStatus = try await farm.get("/jobs/\(job)")
        guard now.state != .completed else { continue }
        #expect(found == chunk, "write \(point): the chunk of segment \(number) is gone")
      }
      if let output = known.output {
        #expect(status.state == .completed, "write \(point): a finished job is unfinished")
        #expect(try await farm.send(.get, "/jobs/\(job)/output").content() == output)
      }
    }
    var rest = Acknowledged()
    if let job = known.job {
      try await goOn(job, on: farm)
    } else {
      try await play(on: farm, while: { true }, into: &rest)
      #expect(rest.output == Self.output, "write \(point)")
    }
    await farm.coordinator.stop()
  }

  /// Renders the rest of a job, and makes sure that its file is the same as that of an undisturbed run.
  private func goOn(_ job: String, on farm: TestFarm) async throws {
    let worker = try await farm.register(name: "other")
    let status = try await eventually("job \(job) ends", every: .milliseconds(2)) {
      // Leases from before the crash stay valid for their grace period.
      let segments: [SegmentStatus] = try await farm.get("/jobs/\(job)/segments")
      if segments.contains(where: { $0.state == .leased }) {
        try await giveBack(of: job, on: farm)
      }
      let answer = try await farm.send(.post, "/workers/\(worker)/leases")
      if answer.status == .ok {
        let lease: Lease = try await answer.wire()
        #expect(try await farm.deliver(lease).status == .ok)
      }
      return try await farm.get("/jobs/\(job)", as: JobStatus.self)
    } satisfies: {
      $0.state.isFinal
    }
    #expect(status.state == .completed, "\(status.failure?.message ?? "")")
    #expect(try await farm.send(.get, "/jobs/\(job)/output").content() == Self.output)
  }

  /// Gives back the leases that the crash left, by their tokens in the ledger. The script may not have received them.
  private func giveBack(of job: String, on farm: TestFarm) async throws {
    let path = farm.directory.path("data/ledger.sqlite")
    let ledger = try Database(.file(path), access: .readOnly)
    let tokens = try ledger.rows("SELECT token FROM attempts WHERE outcome IS NULL") {
      try $0.get(0, as: String.self)
    }
    for token in tokens {
      _ = try await farm.send(.delete, "/leases/\(token)")
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a coordinator that is killed in the middle of any write loses nothing it acknowledged`()
    async throws
  {
    var point = 0
    var isOver = false
    while !isOver {
      let before = try TemporaryDirectory(in: Self.memory)
      let after = try TemporaryDirectory(in: Self.memory)
      let tokens = point % 10 == 9 ? nil : try FarmTokens(data: before.path("data"))
      let disk = DyingDisk(before.path, after: point)
      defer { disk.lift() }
      var known = Acknowledged()
      if let farm = try? await TestFarm(in: before, ledger: .onDisk, tokens: tokens) {
        try await play(on: farm, while: { !disk.isDead }, into: &known)
        isOver = !disk.isDead
        try snapshot(before, to: after)
        await farm.coordinator.stop()
      } else {
        try snapshot(before, to: after)
      }
      disk.lift()
      try await survive(known, in: after, at: point, tokens)
      if isOver { #expect(known.output == Self.output) }
      point += Thoroughness.isFull ? 1 : 3
    }
    #expect(point > 300, "the script is too short to mean anything: \(point) writes")
  }

  @Test(.timeLimit(.minutes(15)))
  func `a coordinator that is killed in the middle of a migration starts it over`() throws {
    var point = 0
    var isOver = false
    while !isOver {
      let before = try TemporaryDirectory(in: Self.memory)
      let after = try TemporaryDirectory(in: Self.memory)
      try FileManager.default.createDirectory(
        atPath: before.path("data"), withIntermediateDirectories: true)
      try LedgerFixture(version: 12).load(to: before.path("data/ledger.sqlite"))
      let disk = DyingDisk(before.path, after: point)
      defer { disk.lift() }
      let migrated = try? Ledger(.file(before.path("data/ledger.sqlite")))
      isOver = migrated != nil && !disk.isDead
      try snapshot(before, to: after)
      disk.lift()
      let ledger = try Ledger(.file(after.path("data/ledger.sqlite")))
      #expect(try ledger.connection.schemaVersion() == Migration.ledger.count, "write \(point)")
      #expect(try ledger.connection.problems() == [], "write \(point)")
      let jobs: Int? = try ledger.connection.first("SELECT count(*) FROM jobs") { try $0.get(0) }
      #expect(jobs == 5, "write \(point)")
      point += 1
    }
    #expect(point > 20, "the migration is too short to mean anything: \(point) writes")
  }

  /// Copies the directory, except for the ledger's shared memory and the work files of running jobs: the jobs may still
  /// be removing these files, and a coordinator removes the rest of them when it starts.
  private func snapshot(_ from: TemporaryDirectory, to: TemporaryDirectory) throws {
    let manager = FileManager.default
    guard manager.fileExists(atPath: from.path("data")) else { return }
    try manager.createDirectory(atPath: to.path("data"), withIntermediateDirectories: true)
    for name in try manager.contentsOfDirectory(atPath: from.path("data"))
    where !["jobs", "ledger.sqlite-shm"].contains(name) {
      try manager.copyItem(atPath: from.path("data/\(name)"), toPath: to.path("data/\(name)"))
    }
  }
}
