import Foundation
import Support
import Testing

/// Streams on the standard input of `sheaf record -`.
@Suite(.mayBlock, .timeLimit(.minutes(5))) struct UploadedRecordingTests {
  private let folder: TemporaryDirectory
  private let studio: RecordingStudio

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
  }

  private func stream(_ source: Int, frames: Int) throws -> String {
    try RecordingStudio.stream(source, frames: frames, in: folder)
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  /// A shell command that records what it gets.
  private func command(_ options: String...) -> String {
    (["sheaf", "record", "-", "--coordinator", studio.origin] + options)
      .joined(separator: " ")
      .replacing("sheaf record", with: "'\(Program.sheaf.path)' record")
  }

  private func shell(_ script: String) throws -> Subprocess {
    let process = Subprocess("/bin/bash", ["-c", "cd '\(folder.path)' && \(script)"])
    for name in ["out", "err"] { try Data().write(to: URL(fileURLWithPath: folder.path(name))) }
    process.standardOutput = try .writing(folder.path("out"))
    process.standardError = try .writing(folder.path("err"))
    try process.run()
    return process
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  /// The only recording.
  private func recording() throws -> [String: Any]? {
    let data = try Tool.run("curl", ["-sS", "\(studio.origin)/api/v1/recordings"])
    return try (JSONSerialization.jsonObject(with: data) as? [[String: Any]])?.first
  }

  @Test func `every frame on standard input is in the file`() throws {
    let path = try stream(3, frames: 96)
    let process = try shell("\(command("-o", "take.mp4")) < '\(path)'")
    process.wait()
    let take = folder.path("take.mp4")
    #expect(try FrameHashes.of(take) == FrameHashes.of(path))
    #expect(try FrameNameReader.names(in: take) == names(0..<96, of: 3))
    #expect(try recording()?["state"] as? String == "finished")
    #expect(try recording()?["source"] as? String == "upload")
  }

  @Test func `a stream is recorded as it arrives, and stops after its length`() throws {
    let path = try stream(3, frames: 120)
    let process = try shell(
      "(cat '\(path)'; sleep 300) | \(command("--length", "2s", "-o", "take.mp4", "--quiet"))")
    defer { process.destroy() }
    // The input does not end, so only the length ends the recording.
    try blockUntil("the recording ends") {
      try recording()?["state"] as? String == "finished"
    }
    try blockUntil("the file is saved") {
      FileManager.default.fileExists(atPath: folder.path("take.mp4"))
    }
    let frames = try FrameNameReader.names(in: folder.path("take.mp4"))
    #expect(frames.count >= 48)
    #expect(frames == names(0..<frames.count, of: 3))
  }

  @Test func `a restart of the coordinator ends the recording with what was uploaded`() throws {
    let path = try stream(3, frames: 96)
    let process = try shell(
      "(cat '\(path)'; sleep 300) | \(command("-o", "take.mp4")); echo $? > status")
    defer { process.destroy() }
    try blockUntil("two fragments are committed") {
      (try recording()?["duration"] as? Int ?? 0) >= 2
    }
    try studio.killAndRestart()
    try blockUntil("the recording fails") { try recording()?["state"] as? String == "failed" }
    let failure = try #require(try recording()?["failure"] as? [String: Any])
    #expect(failure["code"] as? String == "upload-interrupted")
    try blockUntil("the command ends") { try text("err").contains("restarted during the upload") }
    let frames = try FrameNameReader.names(in: folder.path("take.mp4"))
    #expect(frames.count >= 48)
    #expect(frames == names(0..<frames.count, of: 3))
  }

  @Test func `standard input that is not media fails the recording`() throws {
    let process = try shell(
      "head -c 3000000 /dev/urandom | \(command("--name", "noise")); echo ${PIPESTATUS[1]} > status"
    )
    process.wait()
    #expect(try text("status") == "1\n")
    let failure = try #require(try recording()?["failure"] as? [String: Any])
    #expect(failure["code"] as? String == "not-media")
    #expect(try text("err").contains("the recording failed"))
  }

  @Test func `standard input cannot be recorded with --detach`() throws {
    let outcome = try studio.sheaf("record", "-", "--detach")
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains("standard input cannot be recorded with --detach"))
    #expect(try recording() == nil)
  }

  @Test func `nothing can be uploaded to a finished recording`() throws {
    let path = try stream(3, frames: 48)
    try shell("\(command("--quiet")) < '\(path)'").wait()
    let id = try #require(try recording()?["id"] as? String)
    let answer = try Tool.run(
      "curl",
      [
        "-sS", "-X", "PUT", "\(studio.origin)/api/v1/recordings/\(id)/stream", "-H",
        "Upload-Offset: 0", "--data-binary", "@\(path)",
      ])
    #expect(
      String(decoding: answer, as: UTF8.self)
        .contains("accepts no upload: its source is upload, and its state is finished"))
  }
}
