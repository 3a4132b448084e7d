import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Finished files that are missing for a while, and how often they are read.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LostOutputTests {
  private static let day = 86_400.0

  /// A farm with a completed job, and the path of the job's file.
  private func finished() async throws -> (farm: TestFarm, job: JobStatus, path: String) {
    let farm = try await TestFarm()
    return try await finish(on: farm)
  }

  private func finish(
    on farm: TestFarm, concealing concealments: [Concealment] = []
  ) async throws -> (TestFarm, JobStatus, String) {
    let job = try await farm.submit()
    let worker = try await farm.register()
    try await eventually("the job completes") {
      let status: JobStatus = try await farm.get("/jobs/\(job.id)")
      if status.segments.pending > 0 {
        let delivery = try await farm.deliver(farm.lease(worker), concealing: concealments)
        #expect(delivery.status == .ok)
      }
      return status.state == .completed
    }
    return (farm, job, farm.directory.path("data/outputs/\(job.id).mp4"))
  }

  private func age(_ path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
  }

  // MARK: Files that come back

  @Test(arguments: ["request", "search"])
  func `a finished file that reappears is kept and completes its job again`(
    finder: String
  ) async throws {
    let (farm, job, path) = try await finished()
    let route = "/jobs/\(job.id)/output"
    let film = try await farm.send(.get, route).content()
    let elsewhere = farm.directory.path("film")
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    if finder == "search" {
      try await farm.coordinator.scrubOnce()
    } else {
      #expect(try await farm.send(.get, route).problem() == .wrongState)
    }
    let lost: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(lost.state == .failed && lost.output == nil)
    #expect(lost.failure?.code == "damaged-output")

    try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
    try age(path)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 1000 * Self.day))
    #expect(FileManager.default.fileExists(atPath: path))
    if finder == "search" { try await farm.coordinator.scrubOnce() }
    #expect(try await farm.send(.get, route).content() == film)
    let found: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(found.state == .completed && found.failure == nil)
    #expect(found.output?.byteCount == Int64(film.count))
  }

  @Test func `another file in place of a missing one does not complete the job`() async throws {
    let (farm, job, path) = try await finished()
    let route = "/jobs/\(job.id)/output"
    try FileManager.default.removeItem(atPath: path)
    #expect(try await farm.send(.get, route).problem() == .wrongState)
    try Data("another film".utf8).write(to: URL(filePath: path))
    #expect(try await farm.send(.get, route).problem() == .wrongState)
    try await farm.coordinator.scrubOnce()
    let lost: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(lost.failure?.code == "damaged-output")
  }

  /// Removes the chunks that are kept for later jobs, so that a retry renders again.
  private func removeChunks(of farm: TestFarm) throws {
    let chunks = farm.directory.path("data/chunks")
    for name in try FileManager.default.subpathsOfDirectory(atPath: chunks)
    where Digest(hex: URL(filePath: name).lastPathComponent) != nil {
      try FileManager.default.removeItem(atPath: "\(chunks)/\(name)")
    }
  }

  /// The ways in which a retry ends without a file.
  enum Ending: CaseIterable { case cancelled, failed, cancelledTwice }

  /// Retries a job that lost its file, and ends the job before it has a new file.
  private func retry(_ job: JobStatus, on farm: TestFarm, ending: Ending) async throws {
    try removeChunks(of: farm)
    #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
    // A part of the job is rendered again.
    let worker = try await farm.register(name: "again")
    #expect(try await farm.deliver(farm.lease(worker)).status == .ok)
    switch ending {
    case .cancelled:
      #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    case .failed:
      let lease = try await farm.lease(worker)
      let report = FailureReport(code: "broken", message: "a.mp4: no", isPermanent: true)
      #expect(
        try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
      #expect(try await farm.end(of: job).state == .failed)
    case .cancelledTwice:
      #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
      #expect(try await farm.send(.post, "/jobs/\(job.id)/retry").status == .ok)
      #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel").status == .ok)
    }
  }

  @Test(arguments: ["request", "search"], Ending.allCases)
  func `a file that reappears after an unfinished retry completes its job again`(
    finder: String, ending: Ending
  ) async throws {
    let concealment = Concealment(
      asset: Digest.of(Data("a clip".utf8)), time: RationalTime(1), frames: 0..<2)
    let (farm, job, path) = try await finish(on: TestFarm(), concealing: [concealment])
    let route = "/jobs/\(job.id)/output"
    let film = try await farm.send(.get, route).content()
    let before: JobStatus = try await farm.get("/jobs/\(job.id)")
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    let elsewhere = farm.directory.path("film")
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    try await farm.coordinator.scrubOnce()
    try await retry(job, on: farm, ending: ending)
    #expect(try await farm.send(.get, route).problem() == .wrongState)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 1000 * Self.day))
    try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
    try age(path)
    try await farm.coordinator.tidy(at: Date(timeIntervalSinceNow: 1000 * Self.day))
    #expect(FileManager.default.fileExists(atPath: path))

    if finder == "search" { try await farm.coordinator.scrubOnce() }
    #expect(try await farm.send(.get, route).content() == film)
    let found: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(found.state == .completed && found.failure == nil)
    #expect(found.output == before.output)
    #expect(found.segments == before.segments)
    #expect(found.framesRendered == before.framesRendered)
    #expect(found.concealed?.count == 9)
    #expect(try await farm.get("/jobs/\(job.id)/segments", as: [SegmentStatus].self) == segments)
  }

  @Test func `a lost file that a retry has replaced is no longer expected`() async throws {
    let (trusting, job, _, _) = try await forgedAndLost()
    try removeChunks(of: trusting.farm)
    #expect(try await trusting.root.send(.post, "/jobs/\(job)/retry").status == .ok)
    _ = try await trusting.rack.render(
      job, as: trusting.rack.register(name: "again"), asking: trusting.root)
    #expect(try await trusting.status(of: job).state == .completed)
    let segments: [SegmentStatus] = try await trusting.root.send(.get, "/jobs/\(job)/segments")
      .wire()
    #expect(segments.count == 9)
    #expect(segments.allSatisfy { $0.delivery?.worker == "again" })
    let forgotten = try trusting.command("forget", "--worker", "m")
    #expect(forgotten.status == 0, "\(forgotten.standardError)")
    #expect(!forgotten.standardOutput.contains("which is lost, contained dropped chunks"))
    await trusting.farm.coordinator.dropUntrusted()
    #expect(try await trusting.status(of: job).state == .completed)
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
  }

  /// Completes a job with chunks of the worker `m`, and moves its file away so that the coordinator misses it.
  private func forgedAndLost() async throws -> (
    TrustingFarm, job: String, path: String, elsewhere: String
  ) {
    let trusting = try await TrustingFarm()
    let job = try await trusting.submit()
    _ = try await trusting.mallory.render(
      job, as: trusting.mallory.register(name: "m"), asking: trusting.root, TrustingFarm.forged)
    try await eventually("the job completes") {
      try await trusting.status(of: job).state == .completed
    }
    let path = trusting.farm.directory.path("data/outputs/\(job).mp4")
    let elsewhere = trusting.farm.directory.path("film")
    try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
    try await trusting.farm.coordinator.scrubOnce()
    return (trusting, job, path, elsewhere)
  }

  @Test func `a lost file whose chunks were forgotten during a retry is not restored`() async throws
  {
    let (trusting, job, path, elsewhere) = try await forgedAndLost()
    // Without the stored chunks, only the lost file has chunks of the worker.
    try removeChunks(of: trusting.farm)
    #expect(try await trusting.root.send(.post, "/jobs/\(job)/retry").status == .ok)
    try await eventually("the job renders") {
      try await trusting.status(of: job).state == .rendering
    }
    #expect(try await trusting.root.send(.post, "/jobs/\(job)/cancel").status == .ok)
    let forgotten = try trusting.command("forget", "--worker", "m")
    #expect(
      forgotten.standardOutput.contains(
        "job \(job): its finished file, which is lost, contained dropped chunks"))
    await trusting.farm.coordinator.dropUntrusted()
    try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
    try await trusting.farm.coordinator.scrubOnce()
    let response = try await trusting.root.send(.get, "/jobs/\(job)/output")
    #expect(try await response.problem() == .wrongState)
    #expect(try await trusting.status(of: job).state == .cancelled)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `a lost file whose chunks were forgotten while it was missing is not restored`()
    async throws
  {
    let (trusting, job, path, elsewhere) = try await forgedAndLost()
    #expect(try trusting.command("forget", "--worker", "m").status == 0)
    await trusting.farm.coordinator.dropUntrusted()
    try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
    try await trusting.farm.coordinator.scrubOnce()
    let response = try await trusting.root.send(.get, "/jobs/\(job)/output")
    #expect(try await response.problem() == .wrongState)
    #expect(try await trusting.status(of: job).state == .failed)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `a finished file that cannot be opened neither fails its job nor ends the scrub`()
    async throws
  {
    let lines = Mutex<[String]>([])
    let farm = try await TestFarm(log: Log(.quiet) { line in lines.withLock { $0.append(line) } })
    let (_, first, path) = try await finish(on: farm)
    let (_, second, other) = try await finish(on: farm)
    // The newest output is read first.
    FileReads.refuse(under: other, with: EMFILE)
    defer { FileReads.refuse(under: other, with: nil) }
    try Data("damage".utf8).write(to: URL(filePath: path))
    try await farm.coordinator.scrubOnce()
    #expect(try await farm.get("/jobs/\(first.id)", as: JobStatus.self).state == .failed)
    #expect(try await farm.get("/jobs/\(second.id)", as: JobStatus.self).state == .completed)
    #expect(try await farm.get("/scrub", as: ScrubStatus.self).passes == 1)
    #expect(lines.withLock { $0.contains { $0.contains("cannot search for damaged files") } })
  }

  // MARK: Readings

  /// Counts how often a file is read, and can hold up the first reading.
  private final class Reading: Sendable {
    let path: String
    private let count = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)

    /// - Parameter isHeld: whether the first reading waits for ``release()``.
    init(of path: String, isHeld: Bool = false) {
      self.path = path
      FileReads.observe(under: path) { [self] _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        if isHeld, number == 1 { gate.wait() }
      }
    }

    var total: Int { count.withLock { $0 } }

    func release() { gate.signal() }

    func end() { FileReads.observe(under: path, by: nil) }
  }

  /// Changes a file's modification time, so that the next request reads the file again.
  private func touch(_ path: String) { utimes(path, nil) }

  @Test func `a finished file that many clients request is read once`() async throws {
    let (farm, job, path) = try await finished()
    touch(path)
    let reading = Reading(of: path, isHeld: true)
    defer { reading.end() }
    let route = "/jobs/\(job.id)/output"
    let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await farm.send(.get, route, headers: ["Range": "bytes=0-0"]).status
        }
      }
      try await eventually("the file is being read") { reading.total > 0 }
      // By now, every other request would be reading too.
      for _ in 0..<50 { _ = try await farm.send(.get, "/jobs/\(job.id)") }
      reading.release()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: .partialContent, count: 20))
    #expect(reading.total == 1)
    // The result is remembered, but the scrub still reads the file.
    #expect(try await farm.send(.get, route).status == .ok)
    #expect(reading.total == 1)
    try await farm.coordinator.scrubOnce()
    #expect(reading.total == 2)
  }

  @Test func `a client that limits its wait gets 503 while its file is being checked`() async throws
  {
    let (farm, job, path) = try await finished()
    touch(path)
    let reading = Reading(of: path, isHeld: true)
    defer { reading.end() }
    let route = "/jobs/\(job.id)/output"
    for _ in 0..<2 {
      let busy = try await farm.send(.get, route, headers: ["Prefer": "wait=0"])
      #expect(busy.status == .serviceUnavailable)
      #expect(busy.headers["Retry-After"] == "1")
      let problem = try JSONDecoder().decode(ProblemDocument.self, from: await busy.content())
      #expect(problem.type == ProblemType.outputCheck.rawValue)
      #expect(problem.members[ProblemType.bytesReadMember].flatMap { Int($0) } != nil)
    }
    let patient = Task { try await farm.send(.get, route).status }
    try await eventually("the file is being read") { reading.total > 0 }
    reading.release()
    #expect(try await patient.value == .ok)
    #expect(try await farm.send(.get, route, headers: ["Prefer": "wait=0"]).status == .ok)
    #expect(reading.total == 1)
  }

  @Test func `a finished file is not read again until it is modified`() async throws {
    let time = Mutex(Duration.zero)
    let clock = Scrubber.Clock(now: { time.withLock { $0 } }, wait: { _ in })
    let (farm, job, path) = try await finish(on: TestFarm(scrubClock: clock))
    let reading = Reading(of: path)
    defer { reading.end() }
    time.withLock { $0 = .seconds(100_000) }
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").status == .ok)
    #expect(reading.total == 0)
    touch(path)
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").status == .ok)
    #expect(reading.total == 1)
  }

  @Test func `a check continues if its client disconnects, and the next client gets the result`()
    async throws
  {
    let (farm, job, path) = try await finished()
    touch(path)
    let reading = Reading(of: path, isHeld: true)
    defer { reading.end() }
    let route = "/jobs/\(job.id)/output"
    let first = Task { try await farm.send(.get, route).status }
    try await eventually("the file is being read") { reading.total > 0 }
    first.cancel()
    reading.release()
    _ = try? await first.value
    #expect(try await farm.send(.get, route).status == .ok)
    #expect(reading.total == 1)
  }

  @Test func `checking a finished file leaves it in the page cache`() async throws {
    let (farm, job, path) = try await finished()
    touch(path)
    #expect(try await farm.send(.get, "/jobs/\(job.id)/output").status == .ok)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let size = Int(sysconf(Int32(_SC_PAGESIZE)))
    let pages = try #require(mmap(nil, size, PROT_READ, MAP_SHARED, file, 0))
    defer { munmap(pages, size) }
    var residence: UInt8 = 0
    #expect(mincore(pages, size, &residence) == 0)
    #expect(residence & 1 == 1)
  }
}
