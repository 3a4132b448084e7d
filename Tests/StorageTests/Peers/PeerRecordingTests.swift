import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Processes
import Recording
import S3
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// Recordings on a farm whose files are in an object store.
@Suite(.mayBlock, .timeLimit(.minutes(15)), .needsS3Server)
struct PeerRecordingTests {
  private let scene: PeerScene
  private let port: UInt16
  private var source: String { "tcp-listen://127.0.0.1:\(port)" }

  init() throws {
    scene = try PeerScene()
    port = try Ports.free()
  }

  private func start(_ name: String, _ options: [String] = []) throws -> RunningCoordinator {
    try scene.start(name, ["--recording-source", source] + options)
  }

  private func begin(at coordinator: RunningCoordinator) async throws -> String {
    let submission = RecordingSubmission(
      name: "take", source: try #require(RecordingSource(source)))
    let status: RecordingStatus = try await scene.send(
      scene.access.submitter, .post, coordinator, "/recordings",
      body: FarmCoding.encode(submission))
    return status.id
  }

  private func status(
    _ id: String, at coordinator: RunningCoordinator
  ) async throws -> RecordingStatus {
    try await scene.send(scene.access.submitter, .get, coordinator, "/recordings/\(id)")
  }

  private func content(_ path: String, of coordinator: RunningCoordinator) async throws -> Data {
    let response = try await scene.access.submitter.send(
      ClientRequest(.get, coordinator.url + path, timeout: longestWait))
    try #require(response.status.isSuccess, "\(path): \(response.status)")
    return response.body
  }

  /// Sends frames that name themselves to the recording, 24 a second with a keyframe every 12.
  private func send(_ source: Int, frames: Int) throws {
    let clip = scene.directory.path("\(source).mp4")
    try FrameNamingClip(
      source: source, frameCount: frames, rate: "24",
      encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
    ).write(to: clip)
    try Ports.waitUntilOpen(port, in: "tcp")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", clip, "-c", "copy", "-f", "mpegts", "tcp://127.0.0.1:\(port)"])
  }

  /// Stops a recording, and returns the names of the frames in its file.
  private func finish(
    _ id: String, at coordinator: RunningCoordinator
  ) async throws -> [FrameName?] {
    let _: RecordingStatus = try await scene.send(
      scene.access.submitter, .post, coordinator, "/recordings/\(id)/stop", body: Data())
    try await eventually("the recording ends") {
      try await status(id, at: coordinator).state.isFinal
    }
    let ended = try await status(id, at: coordinator)
    #expect(ended.state == .finished, "\(ended)")
    let file = scene.directory.path("take.mp4")
    try await content("/recordings/\(id)/outputs/0", of: coordinator)
      .write(to: URL(fileURLWithPath: file))
    return try FrameNameReader.names(in: file)
  }

  private func names(_ source: Int, _ count: Int) -> [FrameName] {
    (0..<count).map { FrameName(source: source, frame: $0) }
  }

  /// The names of the objects of recordings.
  private func objects() throws -> [String] {
    var names: [String] = []
    try scene.client().forEach(beginningWith: "recordings/") { object in
      names.append(object.key)
      return true
    }
    return names
  }

  @Test func `another coordinator continues a recording, and has everything of it`() async throws {
    let founder = try start(PeerScene.founder)
    defer { founder.kill() }
    let second = try start("second")
    defer { second.kill() }
    let id = try await begin(at: second)
    try send(3, frames: 60)
    try await eventually("what was sent is committed") {
      try await status(id, at: second).duration >= RationalTime(5, 2)
    }
    founder.kill()
    try await eventually("the second coordinator serves the farm") {
      (try? await status(id, at: second)) != nil
    }
    for file in ["header.mp4", "00000001.m4s"] {
      #expect(try await !content("/recordings/\(id)/parts/1/\(file)", of: second).isEmpty)
    }
    let before = try await status(id, at: second).duration
    try send(4, frames: 36)
    // The second part begins after the first one and a gap.
    try await eventually("the second part is committed") {
      let now = try await status(id, at: second)
      guard now.parts.count == 2, let part = now.parts.last, part.start >= before else {
        return false
      }
      return try now.duration >= part.start + RationalTime(3, 2)
    }
    #expect(try await finish(id, at: second) == names(3, 60) + names(4, 36))

    #expect(try objects().contains { $0.hasPrefix("recordings/\(id)/part-1/") })
    let local = scene.directory.path("second/recordings")
    #expect(try FileManager.default.contentsOfDirectory(atPath: local) == [])
    let deletion = try await scene.access.submitter.send(
      ClientRequest(.delete, "\(second.url)/recordings/\(id)"))
    #expect(deletion.status == .noContent)
    try await eventually("its objects are removed") { try objects() == [] }
  }

  @Test func `a coordinator that loses the ledger leaves its recording to the next owner at once`()
    async throws
  {
    let log = scene.directory.path("founder.log")
    try Data().write(to: URL(fileURLWithPath: log))
    let founder = try scene.start(
      PeerScene.founder, ["--recording-source", source], log: log)
    defer { founder.kill() }
    let id = try await begin(at: founder)
    try send(5, frames: 60)
    try await eventually("what was sent is committed") {
      try await status(id, at: founder).duration >= RationalTime(5, 2)
    }
    _ = try scene.query(
      "UPDATE ledger_owner SET epoch = epoch + 1, token = 'x', expires_at = clock_timestamp()")
    // The coordinator may end before it has received everything.
    try? send(6, frames: 60)
    #expect(founder.process.wait() == .exited(1))
    let words = try String(contentsOfFile: log, encoding: .utf8)
    #expect(words.contains("another coordinator has taken over the ledger"))
    #expect(!words.contains("still busy") && !words.contains("cannot enter the end"), "\(words)")

    let second = try start(PeerScene.founder)
    defer { second.kill() }
    try await eventually("the recording continues") {
      try await status(id, at: second).state == .recording
    }
    let found = try await finish(id, at: second)
    #expect(Array(found.prefix(60)) == names(5, 60))
  }

  @Test func `a recording goes on while the store does not answer, and nothing is missing`()
    async throws
  {
    let isDown = Atomic(false)
    let proxy = try FaultyProxy(to: S3Server.shared.get().port) { request in
      isDown.load(ordering: .relaxed) && request.path.contains("recordings/")
        ? .answer(503) : nil
    }
    let coordinator = try RunningCoordinator(
      data: scene.directory.path(PeerScene.founder),
      ["--ledger", scene.ledgerURL, "--recording-source", source]
        + scene.storeOptions(endpoint: proxy.origin) + scene.access.arguments)
    defer { coordinator.kill() }
    let id = try await begin(at: coordinator)
    isDown.store(true, ordering: .relaxed)
    try send(3, frames: 60)
    try await eventually("the store is asked") {
      proxy.requests.contains { $0.method == "PUT" && $0.path.contains("recordings/") }
    }
    #expect(try await status(id, at: coordinator).byteCount == 0)
    isDown.store(false, ordering: .relaxed)
    #expect(try await finish(id, at: coordinator) == names(3, 60))
  }
}
