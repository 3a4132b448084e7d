import Foundation
import Support
import Testing

/// Streams on the standard input of `sheaf record -`.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct UploadedRecordingTests {
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

  /// A hash of each packet of the first stream of a kind.
  private func packets(_ kind: String, of path: String) throws -> [String] {
    let text = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", path, "-map", "0:\(kind):0", "-c", "copy", "-f", "framemd5", "-"])
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  /// The number of frames of the first stream of a kind that a player presents.
  private func frameCount(_ kind: String, of path: String) throws -> Int {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-count_frames", "-select_streams", "\(kind):0", "-show_entries",
        "stream=nb_read_frames", "-of", "csv=p=0", path,
      ])
    let number = String(decoding: text, as: UTF8.self).prefix { $0.isNumber }
    return try #require(Int(number))
  }

  /// The start times of the streams of a file in seconds, by kind.
  private func starts(of path: String) throws -> [String: Double] {
    let text = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "stream=codec_type,start_time", "-of", "csv=p=0", path])
    var starts: [String: Double] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: ",")
      if fields.count == 2 { starts[String(fields[0])] = Double(fields[1]) }
    }
    return starts
  }

  @Test func `a split recording has every packet in one of its files, each of which plays alone`()
    throws
  {
    let path = try stream(3, frames: 600)
    for options in [["-o", "whole.mp4"], ["-o", "take.mp4", "--split", "10s"]] {
      let process = try shell(
        "\(command(options.joined(separator: " "), "--quiet")) < '\(path)'")
      process.wait()
      #expect(try text("err") == "")
    }
    let files = ["take.mp4", "take-2.mp4", "take-3.mp4"].map { folder.path($0) }
    #expect(!FileManager.default.fileExists(atPath: folder.path("take-4.mp4")))
    for kind in ["v", "a"] {
      let parts = try files.flatMap { try packets(kind, of: $0) }
      #expect(try parts == packets(kind, of: folder.path("whole.mp4")), "\(kind)")
    }
    var next = 0
    for (number, file) in files.enumerated() {
      let shown = try FrameNameReader.names(in: file)
      #expect(shown == names(next..<(next + shown.count), of: 3))
      // Ten seconds, and at most two groups more.
      if number < 2 { #expect((240...(240 + 48)).contains(shown.count)) }
      next += shown.count
      let starts = try starts(of: file)
      #expect((0..<0.1).contains(try #require(starts["video"])))
      #expect((0..<0.1).contains(try #require(starts["audio"])))
    }
    #expect(next == 600)
    // No sound is cut off where a file begins, although sound is sent after the pictures that it belongs to.
    let heard = try files.reduce(0) { try $0 + frameCount("a", of: $1) }
    #expect(try heard == frameCount("a", of: folder.path("whole.mp4")))
    let list = try studio.sheaf("recordings", "--json")
    #expect(list.standardOutput.contains(#""splitLength""#))
  }

  @Test func `a recording stops once it is as large as its limit`() throws {
    let path = try stream(3, frames: 240)
    let process = try shell(
      "(cat '\(path)'; sleep 300) | \(command("--max-size", "40k", "-o", "take.mp4", "--quiet"))")
    defer { process.destroy() }
    try blockUntil("the recording ends") {
      try recording()?["state"] as? String == "finished"
    }
    try blockUntil("the file is saved") {
      FileManager.default.fileExists(atPath: folder.path("take.mp4"))
    }
    let status = try #require(try recording())
    #expect(try #require(status["byteCount"] as? Int) >= 40 << 10)
    let frames = try FrameNameReader.names(in: folder.path("take.mp4"))
    #expect(frames == names(0..<frames.count, of: 3))
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

  @Test(arguments: ["30", "24000/1001"])
  func `uncompressed pictures are encoded in order, with a keyframe every 30`(rate: String) throws {
    let (clip, raw) = (folder.path("clip.mp4"), folder.path("clip.y4m"))
    try FrameNamingClip(source: 6, frameCount: 100, rate: rate).write(to: clip)
    try Tool.run("ffmpeg", ["-v", "error", "-i", clip, "-f", "yuv4mpegpipe", raw])
    try shell("\(command("-o", "take.mp4")) < '\(raw)'").wait()
    let take = folder.path("take.mp4")
    #expect(try FrameNameReader.names(in: take) == names(0..<100, of: 6))
    let facts = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_name,avg_frame_rate,nb_frames", "-of",
        "csv=p=0", take,
      ])
    #expect(
      String(decoding: facts, as: UTF8.self)
        == "h264,\(rate == "30" ? "30/1" : rate),100\n")
    let flags = try Tool.run(
      "ffprobe", ["-v", "error", "-show_entries", "packet=flags", "-of", "csv=p=0", take])
    let keys = String(decoding: flags, as: UTF8.self).split(separator: "\n").enumerated()
      .filter { $0.element.hasPrefix("K") }.map(\.offset)
    #expect(keys == [0, 30, 60, 90])
  }

  /// The samples of a file's sound, mixed to one channel at 48 kHz.
  private func samples(of path: String) throws -> [Int16] {
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg", ["-v", "error", "-i", path, "-ac", "1", "-ar", "48000", "-f", "s16le", "-"]))
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }

  @Test func `uncompressed sound is encoded, and begins after the delay of the encoder`() throws {
    let (clicks, raw) = ([9600, 48_000, 100_000], folder.path("clicks.wav"))
    try ClickTrack(sampleCount: 144_000, clicks: clicks).write(
      to: raw, encoding: ["-c:a", "pcm_s16le"])
    try shell("\(command("-o", "take.mp4")) < '\(raw)'").wait()
    let heard = try samples(of: folder.path("take.mp4"))
    #expect((145_024...146_048).contains(heard.count))
    for click in clicks {
      let around = click - 4800..<click + 4800
      let loudest = try #require(around.max { heard[$0].magnitude < heard[$1].magnitude })
      #expect(abs(loudest - click - 1024) <= 8, "\(loudest - click)")
    }
    let track = ((try recording()?["parts"] as? [[String: Any]])?.first?["tracks"] as? [Any])?.first
    #expect((track as? [String: Any])?["codec"] as? String == "aac")
  }

  @Test func `sound that an MP4 cannot hold is encoded beside pictures that are copied`() throws {
    let (path, other) = (try stream(3, frames: 96), folder.path("pcm.ts"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", path, "-c:v", "copy", "-ac", "2", "-c:a", "s302m", "-strict", "-2",
        "-f", "mpegts",
        other,
      ])
    try shell("\(command("-o", "take.mp4")) < '\(other)'").wait()
    let take = folder.path("take.mp4")
    #expect(try FrameHashes.of(take) == FrameHashes.of(path))
    #expect(try FrameNameReader.names(in: take) == names(0..<96, of: 3))
    let length = try Double(samples(of: take).count) / 48_000
    #expect(abs(length - 4) < 0.06, "\(length)")
    #expect((try recording()?["ignored"] as? [Any])?.isEmpty == true)
  }

  @Test(arguments: ["YUV4MPEG2 W320 H180 F30:1 C420\n", "YUV4MPEG2 W9 H7 F30:1 C420\nFRAME\n"])
  func `a recording of pictures that cannot be encoded fails`(text: String) throws {
    try Data((text + String(repeating: "x", count: 100)).utf8)
      .write(to: URL(fileURLWithPath: folder.path("bad.y4m")))
    try shell("\(command("--name", "bad")) < bad.y4m").wait()
    #expect(try recording()?["state"] as? String == "failed")
    #expect(try self.text("err").contains("the recording failed"))
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
