import Foundation
import Support
import Testing

/// Live sources over RTMP that `ffmpeg` publishes, recorded by a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RTMPRecordingTests {
  private static let key = "correct-horse-battery"
  private let folder: TemporaryDirectory
  private let studio: RecordingStudio

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
    try Data("\(Self.key)\n".utf8).write(to: URL(fileURLWithPath: folder.path("secret")))
  }

  private func stream(_ source: Int, frames: Int) throws -> String {
    try RecordingStudio.stream(source, frames: frames, in: folder)
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  private func begin(withKey hasKey: Bool = true) throws -> String {
    try studio.begin("rtmp-listen", options: hasKey ? ["--passphrase-file", "secret"] : [])
  }

  /// Publishes a stream once the coordinator listens.
  private func publish(_ path: String, as key: String? = RTMPRecordingTests.key) throws {
    let sender = StreamSender(port: studio.port, passphrase: key)
    try blockUntil("the coordinator takes the stream") {
      (try? sender.send(path, over: "rtmp-listen")) != nil
    }
  }

  /// The packets of a kind of stream: their times in seconds, and hashes of their bytes without headers of a transport
  /// stream.
  private func packets(_ kind: String, of path: String) throws -> [(time: Double, hash: String)] {
    let filter = kind == "a" && path.hasSuffix(".ts") ? ["-bsf:a", "aac_adtstoasc"] : []
    let text = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-copyts", "-i", path, "-map", "0:\(kind):0", "-c", "copy"] + filter
        + ["-f", "framemd5", "-"])
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let base = try #require(lines.first { $0.hasPrefix("#tb 0: ") })
      .dropFirst("#tb 0: ".count).split(separator: "/").compactMap { Double($0) }
    return lines.filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return ((Double(fields[2]) ?? .nan) * base[0] / base[1], fields[5])
    }
  }

  @Test(arguments: [false, true])
  func `every frame and packet of sound from the first keyframe on is in the file, in place`(
    hasKey: Bool
  ) throws {
    let path = try stream(3, frames: 96)
    let id = try begin(withKey: hasKey)
    try publish(path, as: hasKey ? Self.key : nil)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameHashes.of(recorded) == FrameHashes.of(path))
    #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    let status = try studio.status(id)
    let losses = try #require(status["losses"] as? [String: Any])
    let before = try #require(losses["beforeStart"] as? Int)
    let (heard, sent) = (try packets("a", of: recorded), try packets("a", of: path))
    #expect(heard.map(\.hash) == sent.dropFirst(before).map(\.hash))
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 1)

    // RTMP rounds times to milliseconds.
    let (shown, source) = (try packets("v", of: recorded), try packets("v", of: path))
    let offset = try #require(source.map(\.time).min()) - #require(shown.map(\.time).min())
    let pictures = zip(shown.map(\.time).sorted(), source.map(\.time).sorted())
    #expect(pictures.allSatisfy { abs($0 + offset - $1) < 0.0021 })
    let sounds = zip(heard, sent.dropFirst(before))
    #expect(sounds.allSatisfy { abs($0.time + offset - $1.time) < 0.0021 })
  }

  @Test func `a sender with another key is rejected, and the next one is recorded`() throws {
    let path = try stream(3, frames: 48)
    let id = try begin()
    try blockUntil("a wrong key is rejected") {
      do {
        try StreamSender(port: studio.port, passphrase: "incorrect-horse")
          .send(path, over: "rtmp-listen")
      } catch let failure as Tool.Failure {
        return failure.standardError.contains("the stream key is wrong")
      }
      return false
    }
    try publish(path)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
    #expect(try !studio.log.contains(Self.key))
  }

  @Test func `a sender that reconnects continues the recording`() throws {
    let id = try begin()
    for source in [3, 4] {
      try publish(try stream(source, frames: 48))
      try blockUntil("the stream is recorded") {
        (try studio.status(id)["parts"] as? [Any])?.count == source - 2
      }
    }
    let recorded = try studio.finish(id)
    #expect(
      try FrameNameReader.names(in: recorded) == names(0..<48, of: 3) + names(0..<48, of: 4))
  }

  @Test func `a connection that publishes nothing does not keep a sender away`() throws {
    let path = try stream(3, frames: 48)
    let id = try begin()
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    let connected = folder.path("connected")
    let idle = Subprocess(
      "/bin/bash",
      [
        "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(studio.port) && touch '\(connected)' && exec sleep 300",
      ])
    try idle.run()
    defer { idle.destroy() }
    try blockUntil("the idle sender is connected") {
      FileManager.default.fileExists(atPath: connected)
    }
    try publish(path)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
  }

  @Test(arguments: ["-an", "-vn"])
  func `a sender may publish only pictures or only sound`(option: String) throws {
    let path = try stream(3, frames: 96)
    let one = folder.path("one.ts")
    try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-c", "copy", option, one])
    let id = try begin()
    try publish(one)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    if option == "-an" {
      #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    } else {
      #expect(try packets("a", of: recorded).map(\.hash) == packets("a", of: one).map(\.hash))
    }
  }

  @Test func `senders of noise neither end the recording nor stop the coordinator`() throws {
    let path = try stream(3, frames: 48)
    let id = try begin()
    var random = SeededRandom(seed: 18)
    let greeting = Data([3] + [UInt8](repeating: 0, count: 2 * 1536))
    for round in 0..<3 {
      let noise = Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
      let sent = folder.path("noise")
      try (round == 0 ? noise : greeting + noise).write(to: URL(fileURLWithPath: sent))
      try blockUntil("the noise is sent") {
        (try? Tool.run(
          "ffmpeg",
          [
            "-v", "error", "-f", "data", "-i", sent, "-map", "0:0", "-c", "copy", "-f", "data",
            "tcp://127.0.0.1:\(studio.port)",
          ])) != nil
      }
    }
    #expect(try studio.status(id)["state"] as? String == "preparing")
    try publish(path)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
  }
}
