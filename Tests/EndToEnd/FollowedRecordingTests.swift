import Foundation
import Processes
import Support
import Testing

/// Jobs that follow a recording until it ends.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FollowedRecordingTests {
  private let folder: TemporaryDirectory
  private let studio: RecordingStudio
  private let worker: Worker

  /// A worker that ends with the test.
  private final class Worker {
    private let process: Subprocess

    init(of origin: String, in folder: TemporaryDirectory) throws {
      process = Program.worker.process(["--coordinator", origin, "--cache", folder.path("cache")])
      process.standardError = .null
      try process.run()
    }

    deinit { process.destroy() }
  }

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
    worker = try Worker(of: studio.origin, in: folder)
  }

  /// Sends frames of a source as fast as the coordinator reads them.
  private func send(_ source: Int, frames: Int) throws {
    let path = try RecordingStudio.stream(source, frames: frames, in: folder)
    try blockUntil("the coordinator listens") {
      (try? studio.sender.send(path, over: "tcp-listen", isPaced: false)) != nil
    }
  }

  /// Submits a project, and returns the job's id.
  private func submit(_ project: String) throws -> String {
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let outcome = try studio.sheaf("submit", "cut.json", "--quiet")
    try #require(outcome.status == 0, "\(outcome.standardError)")
    return outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private struct Job: Decodable {
    struct Counts: Decodable { let completed: Int }
    struct Failure: Decodable { let message: String }
    let state: String
    let segments: Counts
    let isFollowing: Bool?
    let secondsRemaining: Double?
    let failure: Failure?
  }

  private func get<Value: Decodable>(_ path: String) throws -> Value {
    let data = try Tool.run("curl", ["-sSf", "\(studio.origin)/api/v1/\(path)"])
    return try JSONDecoder().decode(Value.self, from: data)
  }

  private func waitForEnd(of id: String) throws -> Job {
    var job: Job?
    try blockUntil("the job ends") {
      let now: Job = try get("jobs/\(id)")
      job = now
      return ["completed", "failed", "cancelled"].contains(now.state)
    }
    return try #require(job)
  }

  /// The name of each frame, without repetitions, as during the pause between two senders.
  private func distinctNames(in path: String) throws -> [FrameName] {
    var names: [FrameName] = []
    for name in try FrameNameReader.names(in: path) {
      let name = try #require(name)
      if names.last != name { names.append(name) }
    }
    return names
  }

  @Test(arguments: [#"{"preset": "automatic"}"#, #"{"preset": "mediumQuality"}"#])
  func `a job renders while more is being recorded, and makes the same file as a later one`(
    export: String
  ) throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow"}], "export": \#(export)}"#)
    let waiting: Job = try get("jobs/\(job)")
    #expect(["queued", "planning"].contains(waiting.state))
    try send(3, frames: 24 * 11)
    try blockUntil("the first part is rendered") {
      (try get("jobs/\(job)") as Job).segments.completed > 0
    }
    let rendering: Job = try get("jobs/\(job)")
    #expect(rendering.state == "rendering")
    #expect(rendering.isFollowing == true)
    #expect(rendering.secondsRemaining == nil)
    let listed = try studio.sheaf("jobs")
    #expect(listed.standardOutput.contains("rendering  -"), "\(listed.standardOutput)")

    try studio.killAndRestart()
    try send(4, frames: 24 * 6)
    _ = try studio.finish(id)
    let ended = try waitForEnd(of: job)
    #expect(ended.state == "completed", "\(ended.failure?.message ?? "")")
    #expect(ended.isFollowing == nil)
    let followed = folder.path("followed.mp4")
    try Tool.run("curl", ["-sSf", "\(studio.origin)/api/v1/jobs/\(job)/output", "-o", followed])
    let later = try studio.sheaf("submit", "cut.json", "-o", "later.mp4", "--quiet", "--rerender")
    #expect(later.status == 0, "\(later.standardError)")
    #expect(
      try Data(contentsOf: URL(filePath: followed))
        == Data(contentsOf: URL(filePath: folder.path("later.mp4"))))
    #expect(
      try distinctNames(in: followed)
        == (0..<264).map { FrameName(source: 3, frame: $0) }
        + (0..<144).map { FrameName(source: 4, frame: $0) })
    // Nothing was rendered again when the recording had grown.
    struct Segment: Decodable { let attempts: Int }
    let segments: [Segment] = try get("jobs/\(job)/segments")
    #expect(segments.allSatisfy { $0.attempts <= 1 })
    let check = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", followed, "-f", "null", "-"])
    #expect(check.standardError == "")
  }

  @Test
  func
    `a job completes once everything that it shows is recorded, even if the recording continues`()
    throws
  {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      """
      {"version": 1, "sequence": [
        {"clip": "recording://\(id)?follow", "in": "0.5", "out": 2},
        {"transition": "dissolve", "duration": "0.5"},
        {"clip": "recording://\(id)?follow", "in": 3, "out": "4.5"}]}
      """)
    try send(5, frames: 24 * 9)
    let ended = try waitForEnd(of: job)
    #expect(ended.state == "completed", "\(ended.failure?.message ?? "")")
    #expect(try studio.status(id)["state"] as? String == "recording")
    let path = folder.path("part.mp4")
    try Tool.run("curl", ["-sSf", "\(studio.origin)/api/v1/jobs/\(job)/output", "-o", path])
    let names = try FrameNameReader.names(in: path)
    #expect(names.count == 60)
    #expect(Array(names.prefix(24)) == (12..<36).map { FrameName(source: 5, frame: $0) })
    #expect(Array(names.suffix(24)) == (84..<108).map { FrameName(source: 5, frame: $0) })
    // The sound is as long as the pictures.
    let length = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=duration", "-of",
        "csv=p=0", path,
      ])
    let seconds = try #require(
      Double(
        String(decoding: length, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(abs(seconds - 2.5) < 0.03)
  }

  @Test func `a finding is reported before the recording ends`() throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow", "in": 100000}]}"#)
    try send(6, frames: 24 * 7)
    let ended = try waitForEnd(of: job)
    #expect(ended.state == "failed")
    #expect(ended.failure?.message.contains("sequence[0]") == true)
    #expect(try studio.status(id)["state"] as? String == "recording")
  }

  @Test func `a recording that ends without pictures fails the job by name`() throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow"}]}"#)
    _ = try studio.sheaf("stop", id)
    let ended = try waitForEnd(of: job)
    #expect(ended.state == "failed")
    #expect(
      ended.failure?.message.contains("recording '\(id)' ended before anything was recorded")
        == true)
  }

  @Test func `a split recording cannot be followed`() throws {
    let id = try studio.begin("tcp-listen", options: ["--split", "10s"])
    try Data(#"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow"}]}"#.utf8)
      .write(to: URL(filePath: folder.path("cut.json")))
    let outcome = try studio.sheaf("submit", "cut.json", "--quiet")
    #expect(outcome.status != 0)
    #expect(outcome.standardError.contains("a split recording cannot be followed"))
  }
}
