import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import S3
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// A farm whose stored files are in a bucket.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct BucketFarmTests: BucketSuite {
  let server: S3Server
  let directory: TemporaryDirectory
  let prefix = S3Server.newPrefix()

  init() throws {
    server = try S3Server.shared.get()
    directory = try TemporaryDirectory()
  }

  @Test func `a farm keeps everything that it stores in the bucket`() async throws {
    let farm = try await farm()
    let job = try await complete(farm.submit(), on: farm)
    let counts: [(ObjectKind, Int)] = [
      (.asset, 1), (.blocks, 1), (.chunk, job.segments.total), (.index, 1), (.mix, 3),
      (.output, 1), (.plan, 1), (.project, 1),
    ]
    for (kind, count) in counts { #expect(try keys(kind).count == count, "\(kind)") }
    for kind in ObjectKind.allCases {
      let folder = farm.directory.path("data/\(kind.rawValue)")
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
      #expect(names == [], "\(kind)")
    }
    // The objects have the names that files would have.
    #expect(try Digest.of(stored("outputs/\(job.id).mp4")) == job.output?.sha256)
    let output = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(try await Digest.of(output.content()) == job.output?.sha256)

    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .noContent)
    #expect(try keys(.output) == [])
    await farm.coordinator.stop()
  }

  @Test func `after a restart without local copies, a job continues from the bucket`() async throws
  {
    let job: JobStatus
    do {
      let farm = try await farm()
      job = try await farm.submit()
      #expect(try await farm.deliver(farm.lease(farm.register())).status == .ok)
      await farm.coordinator.stop()
    }
    #expect(try keys(.chunk).count == 1)
    try FileManager.default.removeItem(atPath: directory.path("data/copies"))
    try Data("stray".utf8).write(to: URL(filePath: directory.path("stray")))
    let stray = StoredObject(.chunk, Digest.of(Data("stray".utf8)))
    try client().put(Data("stray".utf8), as: stray.key)
    let farm = try await farm()
    let running: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(running.segments.completed == 1)
    try await eventually("the stray chunk is removed") { try !keys(.chunk).contains(stray.key) }
    _ = try await complete(job, on: farm)
    let again = try await farm.end(of: farm.submit(rerenders: false))
    #expect(again.state == .completed && again.segmentsReused == again.segments.total)
    await farm.coordinator.stop()
  }

  @Test func `a coordinator that may have been replaced removes nothing from the bucket`()
    async throws
  {
    try Data("stray".utf8).write(to: URL(filePath: directory.path("stray")))
    let stray = StoredObject(.chunk, Digest.of(Data("stray".utf8)))
    let client = try client()
    // A farm has used the bucket before.
    _ = try await completedJob()
    try client.put(Data("stray".utf8), as: stray.key)
    let isOwned = Mutex(false)
    let questions = Mutex(0)
    let ledger = MemoryLedger {
      questions.withLock { $0 += 1 }
      return isOwned.withLock(\.self)
    }
    let farm = try await TestFarm(
      in: directory, ledger: .provided { ledger }, objects: .inBucket(client))
    try await eventually("it has something to remove") { questions.withLock(\.self) > 0 }
    #expect(try keys(.chunk).contains(stray.key))
    isOwned.withLock { $0 = true }
    try await eventually("the stray chunk is removed") { try !keys(.chunk).contains(stray.key) }
    await farm.coordinator.stop()
  }

  @Test func `an outage of the store delays jobs, and fails none`() async throws {
    let isDown = Mutex(false)
    let proxy = try FaultyProxy(to: server.port) { _ in
      isDown.withLock(\.self) ? .answer(503) : nil
    }
    let farm = try await farm(
      client(proxy.origin), tries: RunTries(firstPause: .milliseconds(1)))
    let job = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    isDown.withLock { $0 = true }
    // More often than a job may fail because of its host.
    for _ in 0..<10 {
      #expect(try await farm.deliver(lease).status == .serviceUnavailable)
    }
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).state == .rendering)
    isDown.withLock { $0 = false }
    #expect(try await farm.deliver(lease).status == .ok)
    _ = try await complete(job, on: farm)
    await farm.coordinator.stop()
  }

  @Test func `the finished file waits for the store`() async throws {
    let isDown = Mutex(false)
    let refusals = Mutex(0)
    let proxy = try FaultyProxy(to: server.port) { request in
      guard isDown.withLock(\.self), request.path.contains("/outputs/") else { return nil }
      refusals.withLock { $0 += 1 }
      return .answer(503)
    }
    let farm = try await farm(
      client(proxy.origin), tries: RunTries(firstPause: .milliseconds(1)))
    isDown.withLock { $0 = true }
    let job = try await farm.submit()
    async let end = farm.finish(job, by: farm.register())
    // Each run sends the file six times, and a job fails after six runs that fail because of its host.
    try await eventually("the file was refused in more than six runs") {
      refusals.withLock { $0 } > 48
    }
    isDown.withLock { $0 = false }
    #expect(try await end.state == .completed)
    await farm.coordinator.stop()
  }

  @Test func `a bucket belongs to one data directory`() async throws {
    _ = try await completedJob()
    let message = { (error: any Error) in (error as? StorageError)?.message ?? "\(error)" }
    await #expect {
      try await farm(in: TemporaryDirectory())
    } throws: {
      message($0).contains("contains the stored files of another data directory")
    }
    await #expect { try await farm(client(prefix: "\(prefix)-other")) } throws: {
      message($0).contains("does not contain the stored files of")
    }
    await #expect { try await TestFarm(in: directory, ledger: .onDisk) } throws: {
      message($0).contains("use --store s3://farm/\(prefix)")
    }
    // A bucket that something else uses, and a directory with files of its own.
    try client(prefix: "\(prefix)-taken").put(Data("x".utf8), as: "x")
    await #expect {
      try await farm(client(prefix: "\(prefix)-taken"), in: TemporaryDirectory())
    } throws: {
      message($0).contains("is not empty; it contains x")
    }
    let own = try TemporaryDirectory()
    _ = try await completedJob(in: own, objects: .onDisk)
    await #expect { try await farm(client(prefix: "\(prefix)-new"), in: own) } throws: {
      message($0).contains("already contains files")
    }
    let again = try await farm()
    await again.coordinator.stop()
  }

  @Test func `the search for damage reads what is stored, not its copy`() async throws {
    let farm = try await farm()
    let job = try await complete(farm.submit(), on: farm)
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).damagedFiles == 0)
    let key = "outputs/\(job.id).mp4"
    var bytes = try stored(key)
    bytes[bytes.count / 2] ^= 1
    // A damaged object still has the mark of its copy.
    try client().put(bytes, as: key, mark: client().head(key)?.mark)
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).damagedFiles == 1)
    #expect(try keys(.output) == [])
    let digest = try #require(job.output?.sha256)
    var aside: [String] = []
    try client().forEach(beginningWith: "quarantine/") { object in
      aside.append(object.key)
      return true
    }
    #expect(aside.count == 1)
    #expect(aside.first?.hasPrefix("quarantine/output-\(digest)-") == true)
    #expect(try aside.first.map(stored) == bytes)
    await farm.coordinator.stop()
  }

  @Test func `a damaged local copy is replaced, and the object stays`() async throws {
    let farm = try await farm()
    let job = try await complete(farm.submit(), on: farm)
    let copies = directory.path("data/copies")
    let names = try FileManager.default.subpathsOfDirectory(atPath: copies)
    for name in names where FileManager.default.isFile("\(copies)/\(name)") {
      try FileDamage.flipBit(of: "\(copies)/\(name)")
    }
    let output = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(try await Digest.of(output.content()) == job.output?.sha256)
    // Chunks and sound are used again, so their copies are replaced, too.
    let again = try await farm.end(of: farm.submit(rerenders: false))
    #expect(again.state == .completed && again.output?.sha256 == job.output?.sha256)
    #expect(try client().head("outputs/\(job.id).mp4") != nil)
    #expect(try keys(.chunk).count == job.segments.total)
    await farm.coordinator.stop()
  }

  @Test func `a job that cannot be deleted keeps its file`() async throws {
    let isDown = Mutex(false)
    let proxy = try FaultyProxy(to: server.port) { request in
      isDown.withLock(\.self) && request.method == "PUT" ? .answer(503) : nil
    }
    let farm = try await farm(client(proxy.origin))
    let job = try await complete(farm.submit(), on: farm)
    isDown.withLock { $0 = true }
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .serviceUnavailable)
    isDown.withLock { $0 = false }
    let output = try await farm.send(.get, "/jobs/\(job.id)/output")
    #expect(try await Digest.of(output.content()) == job.output?.sha256)
    #expect(try await farm.send(.delete, "/jobs/\(job.id)").status == .noContent)
    #expect(try keys(.output) == [])
    await farm.coordinator.stop()
  }

  @Test func `a data directory without its ledger is refused, and its objects stay`() async throws {
    _ = try await completedJob()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: directory.path("data/ledger.sqlite\(suffix)"))
    }
    await #expect { try await farm() } throws: { error in
      "\(error)".contains("there is no ledger")
    }
    #expect(try !keys(.chunk).isEmpty)
  }

  @Test func `bytes that change on the way are fetched again`() async throws {
    let isDamaging = Mutex(true)
    let proxy = try FaultyProxy(to: server.port) { request in
      guard request.method == "GET", request.path.contains("/projects/"),
        isDamaging.withLock({ $0 })
      else { return nil }
      isDamaging.withLock { $0 = false }
      return .answer(200, "text/plain", String(repeating: "x", count: TestFarm.project.utf8.count))
    }
    let farm = try await farm(client(proxy.origin))
    let job = try await complete(farm.submit(), on: farm)
    try FileManager.default.removeItem(atPath: directory.path("data/copies"))
    let project = try await farm.send(.get, "/jobs/\(job.id)/project")
    #expect(try await project.content() == Data(TestFarm.project.utf8))
    #expect(!isDamaging.withLock { $0 })
    await farm.coordinator.stop()
  }
}
