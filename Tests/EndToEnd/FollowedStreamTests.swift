import Foundation
import Processes
import Support
import Testing

/// Jobs that follow a recording, as players of HTTP Live Streaming see them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct FollowedStreamTests {
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

  /// The pieces that a playlist listed, as they were when they were first listed.
  private struct Played {
    var entries: [String] = []
    var header: Data?
    var pieces: [String: Data] = [:]

    /// The stream so far.
    var bytes: Data {
      entries.compactMap { pieces[$0] }.reduce(into: header ?? Data()) { $0 += $1 }
    }
  }

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
    worker = try Worker(of: studio.origin, in: folder)
  }

  /// Begins to send frames of a source at twice their own pace, with a sound that gets higher and higher, and is silent
  /// before a time in seconds.
  private func send(_ source: Int, frames: Int, heardFrom start: Int = 0) throws -> Subprocess {
    let (stream, path) = (
      try RecordingStudio.stream(source, frames: frames, in: folder),
      folder.path("\(source)-rising.ts")
    )
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", stream, "-f", "lavfi", "-i",
        "aevalsrc='gte(t,\(start))*0.2*sin(2*PI*t*(200+40*t))':s=48000", "-map", "0:v", "-map",
        "1:a", "-c:v", "copy",
        "-c:a", "aac", "-b:a", "192k", "-shortest", "-muxdelay", "0", path,
      ])
    let sender = Subprocess(
      "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-readrate", "1", "-i", path, "-c", "copy", "-f", "mpegts",
        "tcp://127.0.0.1:\(studio.port)",
      ])
    sender.standardError = .null
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    try sender.run()
    return sender
  }

  private func submit(_ project: String) throws -> String {
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let outcome = try studio.sheaf("submit", "cut.json", "--in-order", "--quiet")
    try #require(outcome.status == 0, "\(outcome.standardError)")
    return outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func get(_ path: String) throws -> Data {
    try Tool.run("curl", ["-sSf", "\(studio.origin)/api/v1/jobs/\(path)"])
  }

  private func state(of job: String) throws -> String? {
    let status = try JSONSerialization.jsonObject(with: get(job)) as? [String: Any]
    return status?["state"] as? String
  }

  /// Reads the playlist, and downloads what is new.
  ///
  /// - Returns: whether the playlist has ended.
  private func read(_ job: String, into played: inout Played) throws -> Bool {
    let response = try Tool.run(
      "curl", ["-sS", "-w", "%{http_code}", "\(studio.origin)/api/v1/jobs/\(job)/stream.m3u8"])
    let text = String(decoding: response, as: UTF8.self)
    guard text.hasSuffix("200") else {
      // It is planned only when enough is recorded.
      #expect(text.hasSuffix("409") && played.entries.isEmpty, "\(text)")
      return false
    }
    let lines = text.dropLast(3).split(separator: "\n").map(String.init)
    let entries = lines.filter { !$0.hasPrefix("#") }
    #expect(Array(entries.prefix(played.entries.count)) == played.entries)
    for name in entries.dropFirst(played.entries.count) {
      played.pieces[name] = try get("\(job)/\(name)")
      played.entries.append(name)
      if played.header == nil { played.header = try get("\(job)/stream/film/header.mp4") }
      try decode(played)
    }
    return lines.last == "#EXT-X-ENDLIST"
  }

  /// Decodes the stream so far, which must cause no messages.
  private func decode(_ played: Played) throws {
    let path = folder.path("so-far.mp4")
    try played.bytes.write(to: URL(filePath: path))
    let check = try Tool.output(of: "ffmpeg", ["-v", "warning", "-i", path, "-f", "null", "-"])
    #expect(check.standardError == "", "after \(played.entries.count) pieces")
  }

  /// The samples of a file's sound in the left channel.
  private func samples(of path: String) throws -> [Float] {
    let bytes = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", path, "-map", "0:a", "-af", "pan=mono|c0=c0", "-f", "f32le", "-"])
    return bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  @Test(arguments: [
    (#"{"clip": "opener.mp4"}, {"transition": "dissolve", "duration": "0.5"}"#, "automatic"),
    (#"{"clip": "opener.mp4"}"#, "mediumQuality"), ("", "automatic"),
  ])
  func `the playlist of a job that follows a recording only grows, with sound`(
    opening: String, preset: String
  ) throws {
    let opener = try RecordingStudio.stream(7, frames: 48, in: folder)
    try Tool.run("ffmpeg", ["-v", "error", "-i", opener, "-c", "copy", folder.path("opener.mp4")])
    let id = try studio.begin("tcp-listen")
    let comma = opening.isEmpty ? "" : ","
    let job = try submit(
      """
      {"version": 1, "sequence": [\(opening)\(comma) {"clip": "recording://\(id)?follow"}],
       "export": {"preset": "\(preset)"}}
      """)
    let sender = try send(3, frames: 24 * 20)
    var played = Played()
    var lengths: [Int] = []
    try blockUntil("the playlist grows several times", every: .milliseconds(500)) {
      let hasEnded = try read(job, into: &played)
      #expect(!hasEnded)
      if lengths.last ?? 0 < played.entries.count { lengths.append(played.entries.count) }
      return lengths.count >= 3
    }
    #expect(try state(of: job) == "rendering")
    let revision = try stream(of: job).revision
    #expect(!revision.isEmpty)
    #expect(try studio.status(id)["state"] as? String == "recording")
    sender.wait()
    _ = try studio.finish(id)
    try blockUntil("the playlist ends", every: .milliseconds(200)) {
      return try read(job, into: &played)
    }
    #expect(try state(of: job) == "completed")
    #expect(try stream(of: job).revision == revision)
    #expect(try !studio.log.contains("segments changed"))
    // What was played before is still the same.
    for name in played.entries {
      #expect(try get("\(job)/\(name)") == played.pieces[name], "\(name)")
    }
    let (stream, file) = (folder.path("so-far.mp4"), folder.path("out.mp4"))
    try get("\(job)/output").write(to: URL(filePath: file))
    let names = try FrameNameReader.names(in: stream)
    #expect(try names == FrameNameReader.names(in: file))
    #expect(names.compactMap(\.self).count >= 24 * 20)
    let (heard, mixed) = (try samples(of: stream), try samples(of: file))
    #expect(abs(heard.count - mixed.count) <= 4096, "\(heard.count) and \(mixed.count) samples")
    // Players of a stream hear the encoder's delay, which the file hides.
    let differences = zip(heard.dropFirst(1024), mixed.prefix(names.count * 2000)).map {
      abs($0 - $1)
    }
    let largest = differences.max() ?? 1
    let place = differences.firstIndex(of: largest).map { Double($0) / 48_000 } ?? 0
    #expect(largest < 0.02, "\(largest) at \(place) s")
  }

  @Test func `music that is ducked under a recording sounds the same when more is recorded`() throws
  {
    let id = try studio.begin("tcp-listen")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "sine=frequency=880:duration=40",
        folder.path("song.wav"),
      ])
    let job = try submit(
      """
      {"version": 1, "sequence": [{"clip": "recording://\(id)?follow"}],
       "music": [{"clip": "song.wav", "duck": {"attack": 8, "hold": 20, "release": 30}}]}
      """)
    // The attack would begin before this sound is recorded.
    let sender = try send(3, frames: 24 * 16, heardFrom: 11)
    var played = Played()
    try blockUntil("a part is listed", every: .milliseconds(500)) {
      _ = try read(job, into: &played)
      return !played.entries.isEmpty
    }
    sender.wait()
    _ = try studio.finish(id)
    try blockUntil("the playlist ends", every: .milliseconds(200)) {
      try read(job, into: &played)
    }
    for name in played.entries {
      #expect(try get("\(job)/\(name)") == played.pieces[name], "\(name)")
    }
  }

  @Test(arguments: ["automatic", "mediumQuality"])
  func `the playlist only grows even if the source is interrupted`(preset: String) throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      """
      {"version": 1, "sequence": [{"clip": "recording://\(id)?follow"}],
       "export": {"preset": "\(preset)"}}
      """)
    let sender = try send(3, frames: 24 * 12)
    var played = Played()
    try blockUntil("a part is listed", every: .milliseconds(500)) {
      _ = try read(job, into: &played)
      return !played.entries.isEmpty
    }
    sender.wait()
    try send(4, frames: 24 * 12).wait()
    try blockUntil("the second part is listed", every: .milliseconds(200)) {
      _ = try read(job, into: &played)
      return played.entries.count >= 4
    }
    _ = try studio.finish(id)
    try blockUntil("the playlist ends", every: .milliseconds(200)) {
      try read(job, into: &played)
    }
    let log = try studio.log.split(separator: "\n").filter { $0.contains("segments") }
    #expect(!log.contains { $0.contains("segments changed") }, "\(log)")
    for name in played.entries {
      #expect(try get("\(job)/\(name)") == played.pieces[name], "\(name)")
    }
    let file = folder.path("out.mp4")
    try get("\(job)/output").write(to: URL(filePath: file))
    #expect(
      try FrameNameReader.names(in: folder.path("so-far.mp4")) == FrameNameReader.names(in: file))
  }

  private struct Stream: Decodable {
    let duration: Double
    let sound: String
    let revision: String
  }

  private func stream(of job: String) throws -> Stream {
    try JSONDecoder().decode(Stream.self, from: get("\(job)/stream"))
  }

  @Test func `a player that plays while it is recorded gets every picture and all sound`() throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow"}]}"#)
    let sender = try send(3, frames: 24 * 16)
    try blockUntil("a part is listed") {
      let text = try? get("\(job)/stream.m3u8")
      return text.map { String(decoding: $0, as: UTF8.self).contains(".m4s") } ?? false
    }
    let heard = folder.path("heard.mp4")
    let player = Subprocess(
      "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-live_start_index", "0", "-copyts", "-i",
        "\(studio.origin)/api/v1/jobs/\(job)/stream.m3u8", "-c", "copy", "-f", "mp4", heard,
      ])
    try player.run()
    sender.wait()
    _ = try studio.finish(id)
    #expect(player.wait() == .exited(0))
    #expect(
      try FrameNameReader.names(in: heard) == (0..<24 * 16).map { FrameName(source: 3, frame: $0) })
    // 16 seconds of packets with 1024 samples each.
    let packets = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "a:0", "-show_entries", "packet=pts", "-of", "csv=p=0",
        heard,
      ])
    let times = String(decoding: packets, as: UTF8.self).split(whereSeparator: {
      ",\n".contains($0)
    })
    .compactMap { Int($0) }
    #expect(abs(times.count - 751) <= 2)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
  }

  @Test func `a recording at another speed is heard once the sound is mixed`() throws {
    let id = try studio.begin("tcp-listen")
    let job = try submit(
      #"{"version": 1, "sequence": [{"clip": "recording://\#(id)?follow", "speed": 2}]}"#)
    let sender = try send(3, frames: 24 * 14)
    try blockUntil("a part is finished") {
      let status = try JSONSerialization.jsonObject(with: get(job)) as? [String: Any]
      return (status?["segments"] as? [String: Any])?["completed"] as? Int ?? 0 > 0
    }
    #expect(try stream(of: job).sound == "pending")
    var played = Played()
    let hasEnded = try read(job, into: &played)
    #expect(!hasEnded && played.entries.isEmpty)
    let piece = try get("\(job)/stream/pictures/header.mp4") + get("\(job)/stream/pictures/0-0.m4s")
    let path = folder.path("piece.mp4")
    try piece.write(to: URL(filePath: path))
    #expect(try FrameNameReader.names(in: path).first == FrameName(source: 3, frame: 0))
    sender.wait()
    _ = try studio.finish(id)
    try blockUntil("the playlist ends", every: .milliseconds(200)) { try read(job, into: &played) }
    #expect(try samples(of: folder.path("so-far.mp4")).count > 48_000 * 6)
  }
}
