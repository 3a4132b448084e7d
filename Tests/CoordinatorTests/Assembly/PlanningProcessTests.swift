import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Processes
import SQL
import SQLite
import Support
import Testing
import sheaf_coordinator

/// A real coordinator that is stopped, or serves other submitters, while its processes plan.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlanningProcessTests {
  private let scratch: TemporaryDirectory
  private var data: String { scratch.path("data") }

  init() throws { scratch = try TemporaryDirectory() }

  private static let plain = #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#
  private static let layered = """
    {"version": 1, "sequence": [{"clip": "a.mp4"}], "animation": {"layers": [
      {"type": "image", "asset": "slow.svg",
       "bounds": {"x": 0, "y": 0, "width": 1000, "height": 1000}}]}}
    """
  /// A picture that takes seconds to draw.
  private static let picture = """
    <svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">
    <filter id="f" x="0" y="0" width="1" height="1">
    <feTurbulence baseFrequency="0.9" numOctaves="20"/></filter>
    <rect width="1000" height="1000" filter="url(#f)"/></svg>
    """

  private func clip() throws -> Data {
    let path = scratch.path("a.mp4")
    try SolidClip(color: (80, 128, 128), frameCount: 5).write(to: path)
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// The assets of ``layered``, uploaded.
  private func assets(
    of submitter: Submitter, to farm: RunningCoordinator
  ) async throws -> [String: AssetReference] {
    [
      "a.mp4": try await submitter.upload(clip(), to: farm),
      "slow.svg": try await submitter.upload(Data(Self.picture.utf8), to: farm),
    ]
  }

  /// The planning processes of a coordinator.
  private func planning(for farm: RunningCoordinator) -> [pid_t] {
    ChildProcesses.of(farm.process.id).filter {
      ChildProcesses.arguments(of: $0).dropFirst().first == "plan"
    }
  }

  /// Suspends `count` planning processes of a coordinator in the middle of their work.
  private func hold(_ count: Int, planningFor farm: RunningCoordinator) async throws -> [pid_t] {
    var held: Set<pid_t> = []
    try await eventually("\(count) planning processes are suspended") {
      for process in planning(for: farm) where kill(process, SIGSTOP) == 0 { held.insert(process) }
      held = held.filter(ChildProcesses.isAlive)
      return held.count >= count
    }
    return Array(held)
  }

  private func tries() throws -> Int? {
    try Database(.file(scratch.path("data/ledger.sqlite")))
      .first("SELECT planning_tries FROM jobs") { try $0.get("planning_tries") }
  }

  @Test func `SIGTERM stops a coordinator during planning, and the next start plans the project`()
    async throws
  {
    let submitter = try Submitter(data: data)
    let first = try RunningCoordinator(data: data)
    defer { first.kill() }
    let job = try await submitter.submit(
      Self.layered, try await assets(of: submitter, to: first), to: first)
    let held = try await hold(1, planningFor: first)
    first.process.terminate()
    #expect(first.process.wait() == .exited(0))
    try await eventually("the planning processes end") {
      !held.contains(where: ChildProcesses.isAlive)
    }
    // A try that the coordinator itself ended does not count.
    #expect(try tries() == 0)
    let second = try RunningCoordinator(data: data)
    defer { second.kill() }
    let end = try await submitter.wait(for: job, at: second, until: .rendering)
    #expect(end.state == .rendering, "\(end.failure?.message ?? "")")
  }

  @Test func `a project is planned while another submitter's planning processes never end`()
    async throws
  {
    let (anna, ben) = (try Submitter("anna", data: data), try Submitter("ben", data: data))
    let farm = try RunningCoordinator(data: data, ["--require-tokens"])
    defer { farm.kill() }
    let assets = try await assets(of: anna, to: farm)
    for _ in 0..<8 { _ = try await anna.submit(Self.layered, assets, to: farm) }
    // Occupy all places except for the last one.
    _ = try await hold(
      max(2, ProcessInfo.processInfo.activeProcessorCount), planningFor: farm)
    let own = try await ben.upload(clip(), to: farm)
    let job = try await ben.submit(Self.plain, ["a.mp4": own], to: farm)
    let end = try await ben.wait(for: job, at: farm, until: .rendering)
    #expect(end.state == .rendering, "\(end.failure?.message ?? "")")
  }

  // MARK: Files under media roots

  /// A file that takes an hour to hash, and a digest that it does not have.
  private func vastFile() throws -> AssetReference {
    let path = scratch.path("vast.mp4")
    try Data().write(to: URL(fileURLWithPath: path))
    try #require(truncate(path, 1 << 42) == 0)
    return AssetReference(digest: Digest.of([1]), byteCount: 1 << 42, path: path)
  }

  /// The number of a coordinator's threads that hash files of jobs.
  private func hashing(in farm: RunningCoordinator) throws -> Int {
    let threads = "/proc/\(farm.process.id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).count { thread in
      (try? String(contentsOfFile: "\(threads)/\(thread)/comm", encoding: .utf8)) == "hash\n"
    }
  }

  @Test func `SIGTERM stops a coordinator that is hashing a file`() async throws {
    let submitter = try Submitter(data: data)
    let arguments = ["--media-root", scratch.path]
    let first = try RunningCoordinator(data: data, arguments)
    defer { first.kill() }
    let file = try vastFile()
    let job = try await submitter.submit(Self.plain, ["a.mp4": file], to: first)
    try await eventually("the file is being hashed") { try hashing(in: first) > 0 }
    first.process.terminate()
    #expect(first.process.wait() == .exited(0))
    let second = try RunningCoordinator(data: data, arguments)
    defer { second.kill() }
    #expect(try await !submitter.status(of: job, at: second).state.isFinal)
  }

  @Test
  func `a submitter's files are hashed one by one, and other submitters do not wait for them`()
    async throws
  {
    let (anna, ben) = (try Submitter("anna", data: data), try Submitter("ben", data: data))
    let farm = try RunningCoordinator(
      data: data, ["--require-tokens", "--media-root", scratch.path])
    defer { farm.kill() }
    let file = try vastFile()
    var jobs: [JobStatus] = []
    for _ in 0..<8 {
      jobs.append(try await anna.submit(Self.plain, ["a.mp4": file], to: farm))
    }
    for job in jobs { _ = try await anna.wait(for: job, at: farm, until: .planning) }
    let bytes = try clip()
    let own = AssetReference(
      digest: Digest.of(bytes), byteCount: Int64(bytes.count), path: scratch.path("a.mp4"))
    let job = try await ben.submit(Self.plain, ["a.mp4": own], to: farm)
    let end = try await ben.wait(for: job, at: farm, until: .rendering)
    #expect(end.state == .rendering, "\(end.failure?.message ?? "")")
    #expect(try hashing(in: farm) == 1)
    // Jobs that are cancelled stop hashing.
    for job in jobs { try await anna.cancel(job, at: farm) }
    try await eventually("hashing stops") { try hashing(in: farm) == 0 }
  }

  @Test func `SIGTERM stops a coordinator that is blocked on its log`() async throws {
    // Nothing reads its log, so a write to the full pipe never returns.
    let log = try SubprocessPipe()
    let end = log.writing.fileDescriptor
    let flags = fcntl(end, F_GETFL)
    try #require(fcntl(end, F_SETFL, flags | O_NONBLOCK) == 0)
    let filler = [UInt8](repeating: 0x20, count: 1 << 16)
    while write(end, filler, filler.count) > 0 {}
    while write(end, filler, 1) > 0 {}
    try #require(fcntl(end, F_SETFL, flags) == 0)
    let process = Program.coordinator.process(["serve", "--data", data, "--port", "0"])
    process.standardError = .pipe(log)
    _ = try process.startListening()
    defer { process.send(SIGKILL) }
    process.terminate()
    #expect(process.wait() == .exited(0))
  }
}
