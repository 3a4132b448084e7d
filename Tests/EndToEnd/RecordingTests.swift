import Foundation
import Processes
import Support
import Testing

/// Live sources that `ffmpeg` sends, recorded by a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RecordingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func stream(_ source: Int, frames: Int) throws -> String {
    try RecordingStudio.stream(source, frames: frames, in: folder)
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  @Test(arguments: ["udp", "tcp-listen"])
  func `every frame that is sent is in the finished file`(transport: String) throws {
    let path = try stream(3, frames: 96)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin(transport)
    try Ports.waitUntilOpen(studio.port, in: transport == "udp" ? "udp" : "tcp")
    try studio.send(path, over: transport)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    let status = try studio.status(id)
    #expect(status["state"] as? String == "finished")
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 1)
  }

  @Test func `a player follows the playlist until the recording ends, and gets every packet`()
    throws
  {
    let path = try stream(3, frames: 120)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    let address = "\(studio.origin)/api/v1/recordings/\(id)/stream.m3u8"
    let empty = String(decoding: try Tool.run("curl", ["-sSf", address]), as: UTF8.self)
    #expect(empty.contains("#EXT-X-PLAYLIST-TYPE:EVENT\n"))
    #expect(!empty.contains("#EXTINF"))
    let sender = Thread { [sender = studio.sender] in try? sender.send(path, over: "tcp-listen") }
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    sender.start()
    try blockUntil("a fragment is listed") {
      String(decoding: try Tool.run("curl", ["-sSf", address]), as: UTF8.self).contains("#EXTINF")
    }
    let heard = folder.path("heard")
    let player = Subprocess(
      "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-live_start_index", "0", "-i", address, "-c", "copy", "-f",
        "framehash", heard,
      ])
    try player.run()
    defer { player.destroy() }
    try blockUntil("most is recorded") { (try studio.status(id)["duration"] as? Int ?? 0) >= 4 }
    #expect(player.isRunning)
    let recorded = try studio.finish(id)
    player.wait()
    let saved = folder.path("saved")
    try Tool.run("ffmpeg", ["-v", "error", "-i", recorded, "-c", "copy", "-f", "framehash", saved])
    for stream in ["0", "1"] {
      let packets = try packetHashes(of: stream, in: heard)
      #expect(packets.count >= 96)
      #expect(try packets == packetHashes(of: stream, in: saved))
    }
    #expect(
      String(decoding: try Tool.run("curl", ["-sSf", address]), as: UTF8.self)
        .hasSuffix("#EXT-X-ENDLIST\n"))
  }

  /// The hashes of a stream's packets, in the order of a file of frame hashes.
  private func packetHashes(of stream: String, in path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return fields.first == stream && fields.count == 6 ? fields[5] : nil
    }
  }

  @Test
  func `a project makes the same file of a running recording as of the finished one`()
    throws
  {
    let path = try stream(3, frames: 240)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    let worker = Program.worker.process([
      "--coordinator", studio.origin, "--cache", folder.path("cache"),
    ])
    worker.standardError = .null
    try worker.run()
    defer { worker.terminate() }
    // A cut in the middle of a group, and a dissolve, so that some frames are copied and some are encoded.
    let project = """
      {"version": 1, "sequence": [
        {"clip": "recording://\(id)", "in": "0.25", "out": "1.75"},
        {"transition": "dissolve", "duration": "0.25"},
        {"clip": "recording://\(id)", "in": "0.5", "out": "2"}]}
      """
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let refused = try studio.sheaf("submit", "cut.json", "-o", "early.mp4", "--quiet")
    #expect(refused.status != 0)
    #expect(refused.standardError.contains("recording '\(id)' has no fragment yet"))

    let sender = Thread { [sender = studio.sender] in try? sender.send(path, over: "tcp-listen") }
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    sender.start()
    try blockUntil("enough is committed") {
      (try studio.status(id)["duration"] as? Int ?? 0) >= 3
    }
    let live = try studio.sheaf("submit", "cut.json", "-o", "live.mp4", "--quiet", "--rerender")
    #expect(live.status == 0, "\(live.standardError)")
    #expect(try studio.status(id)["state"] as? String == "recording")
    try blockUntil("all is committed") { (try studio.status(id)["duration"] as? Int ?? 0) >= 10 }
    _ = try studio.finish(id)
    let after = try studio.sheaf("submit", "cut.json", "-o", "after.mp4", "--quiet", "--rerender")
    #expect(after.status == 0, "\(after.standardError)")
    #expect(
      try Data(contentsOf: URL(filePath: folder.path("live.mp4")))
        == Data(contentsOf: URL(filePath: folder.path("after.mp4"))))
    let names = try FrameNameReader.names(in: folder.path("live.mp4"))
    #expect(names.count == 66)
    #expect(Array(names.prefix(30)) == self.names(6..<36, of: 3))
    #expect(Array(names.suffix(30)) == self.names(18..<48, of: 3))
  }

  @Test(arguments: ["recording://nosuch", "recording://No", "recording://a/0", "recording://a/b/c"])
  func `a recording that does not exist is rejected by name`(address: String) throws {
    let studio = try RecordingStudio(in: folder)
    let project = #"{"version": 1, "sequence": [{"clip": "\#(address)"}]}"#
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let outcome = try studio.sheaf("submit", "cut.json", "--quiet")
    #expect(outcome.status != 0)
    #expect(outcome.standardError.contains("recording"))
    #expect(outcome.standardError.contains(address.dropFirst("recording://".count)))
  }

  @Test(arguments: [
    "parts/2/header.mp4", "parts/1/00000002.m4s", "parts/1/header.mp4.partial",
    "parts/1/..%2F..%2Fledger", "parts/0/header.mp4", "parts/1/00000001.mp4",
  ])
  func `files that a recording does not have are not found`(file: String) throws {
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    try blockUntil("the stream is sent") {
      (try? studio.send(try stream(3, frames: 24), over: "tcp-listen")) != nil
    }
    try studio.waitForBytes(id, 1)
    let base = "\(studio.origin)/api/v1/recordings/\(id)"
    let status = { (path: String) in
      String(
        decoding: try Tool.run(
          "curl",
          ["-sS", "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "\(base)/\(path)"]),
        as: UTF8.self)
    }
    #expect(try status("parts/1/header.mp4") == "200")
    #expect(try status("parts/1/00000001.m4s") == "200")
    #expect(["400", "404"].contains(try status(file)))
  }

  @Test func `a sender that reconnects continues the recording in a new part`() throws {
    let (first, second) = (try stream(3, frames: 48), try stream(4, frames: 48))
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    for (number, path) in [first, second].enumerated() {
      try blockUntil("the coordinator listens") {
        (try? studio.send(path, over: "tcp-listen")) != nil
      }
      try blockUntil("the stream is recorded") {
        (try studio.status(id)["parts"] as? [Any])?.count == number + 1
      }
    }
    let recorded = try studio.finish(id)
    #expect(
      try FrameNameReader.names(in: recorded) == names(0..<48, of: 3) + names(0..<48, of: 4))
    let status = try studio.status(id)
    let parts = try #require(status["parts"] as? [[String: Any]])
    #expect(parts.count == 2)
  }

  @Test func `a recording continues after its coordinator is killed`() throws {
    let (first, second) = (try stream(3, frames: 240), try stream(4, frames: 48))
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    let sender = Thread { [sender = studio.sender] in
      try? sender.send(first, over: "tcp-listen")
    }
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    sender.start()
    try blockUntil("two fragments are committed") {
      (try studio.status(id)["duration"] as? Int ?? 0) >= 2
    }
    let committed = try #require(try studio.status(id)["duration"] as? Int)
    try studio.killAndRestart()
    try blockUntil("the coordinator listens again") {
      (try? studio.send(second, over: "tcp-listen")) != nil
    }
    try blockUntil("the second stream is recorded") {
      (try studio.status(id)["parts"] as? [Any])?.count == 2
    }
    let recorded = try studio.finish(id)
    let frames = try FrameNameReader.names(in: recorded).compactMap(\.self)
    let kept = frames.prefix { $0.source == 3 }
    #expect(kept.map(\.frame) == Array(0..<kept.count))
    #expect(kept.count >= committed * 24)
    #expect(Array(frames.dropFirst(kept.count)) == names(0..<48, of: 4))
  }

  @Test func `a coordinator that is stopped normally commits what it has received`() throws {
    let path = try stream(3, frames: 60)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    // The sender keeps its connection, so the last group stays open.
    let sender = Subprocess(
      "/bin/bash",
      [
        "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(studio.port) && cat \(path) >&3 && cat <&3",
      ])
    sender.standardError = .null
    try Ports.waitUntilOpen(studio.port, in: "tcp")
    try sender.run()
    defer { sender.destroy() }
    try blockUntil("two fragments are committed") {
      (try studio.status(id)["duration"] as? Int ?? 0) >= 2
    }
    try studio.restart()
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<60, of: 3))
  }

  @Test func `a stopped recording ends even if its coordinator is killed`() throws {
    let path = try stream(3, frames: 48)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    try blockUntil("the coordinator listens") {
      (try? studio.send(path, over: "tcp-listen")) != nil
    }
    try studio.waitForBytes(id, 1)
    _ = try Tool.run(
      "curl",
      ["-sS", "--fail-with-body", "-X", "POST", "\(studio.origin)/api/v1/recordings/\(id)/stop"])
    try studio.killAndRestart()
    try blockUntil("the recording is finished") {
      try studio.status(id)["state"] as? String == "finished"
    }
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
  }

  @Test
  func `a recording whose fragments are missing ends, and gets its file once they are restored`()
    throws
  {
    let path = try stream(3, frames: 72)
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    try blockUntil("the coordinator listens") {
      (try? studio.sender.send(path, over: "tcp-listen", isPaced: false)) != nil
    }
    try blockUntil("everything is committed") {
      (try studio.status(id)["duration"] as? Int ?? 0) >= 2
    }
    let (here, elsewhere) = (folder.path("data/recordings/\(id)"), folder.path("elsewhere"))
    try studio.restart { try FileManager.default.moveItem(atPath: here, toPath: elsewhere) }
    try blockUntil("the recording fails") { try studio.status(id)["state"] as? String == "failed" }
    let failure = try #require(try studio.status(id)["failure"] as? [String: Any])
    #expect((failure["message"] as? String)?.contains("what was recorded is missing") == true)
    // No new part was begun, which could never be joined with the others.
    #expect((try studio.status(id)["parts"] as? [Any])?.count == 1)
    try studio.restart { try FileManager.default.moveItem(atPath: elsewhere, toPath: here) }
    // It keeps its failure, but gets its files.
    #expect(try studio.sheaf("stop", id).status == 1)
    let saved = try studio.sheaf("recording", id, "-o", "take.mp4", "--quiet")
    #expect(FileManager.default.fileExists(atPath: folder.path("take.mp4")), "\(saved)")
    let frames = try FrameNameReader.names(in: folder.path("take.mp4"))
    #expect(frames.count >= 48)
    #expect(frames == names(0..<frames.count, of: 3))
  }

  @Test func `data that is not media fails the recording by name, and nothing else`() throws {
    let studio = try RecordingStudio(in: folder)
    let id = try studio.begin("tcp-listen")
    var random = SeededRandom(seed: 16)
    let noise = folder.path("noise")
    try Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
      .write(to: URL(fileURLWithPath: noise))
    try blockUntil("the noise is sent") {
      (try? Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-f", "data", "-i", noise, "-map", "0:0", "-c", "copy", "-f", "data",
          "tcp://127.0.0.1:\(studio.port)",
        ])) != nil
    }
    try blockUntil("the recording fails") { try studio.status(id)["state"] as? String == "failed" }
    let failure = try #require(try studio.status(id)["failure"] as? [String: Any])
    #expect(failure["code"] as? String == "not-media")
    #expect((failure["message"] as? String)?.contains("tcp-listen://127.0.0.1") == true)
    let ready = try Tool.run("curl", ["-sS", "--fail-with-body", "\(studio.origin)/readyz"])
    #expect(!ready.isEmpty)

    let project = #"{"version": 1, "sequence": [{"clip": "recording://\#(id)"}]}"#
    try Data(project.utf8).write(to: URL(filePath: folder.path("cut.json")))
    let refused = try studio.sheaf("submit", "cut.json", "-o", "cut.mp4", "--quiet")
    #expect(refused.status != 0)
    #expect(
      refused.standardError.contains("recording '\(id)' ended before anything was recorded"))
  }

  @Test func `a source that the operator does not allow is rejected by name`() throws {
    let studio = try RecordingStudio(in: folder)
    let outcome = try studio.sheaf("record", "udp://127.0.0.1:1", "--detach")
    #expect(outcome.status == 5 || outcome.status == 1)
    #expect(outcome.standardError.contains("--recording-source udp://127.0.0.1:1"))
    #expect(try studio.sheaf("record", "ftp://x:1").status == 2)
  }

  @Test(arguments: [
    ("v4l2:///dev/null", "it is not a capture device"),
    ("v4l2:///dev/no-such-camera", "No such file or directory"),
    ("alsa://hw:no-such-card,0", "there is no such sound card"),
  ])
  func `a device that cannot be opened fails the recording by name`(
    source: String, reason: String
  ) throws {
    let studio = try RecordingStudio(in: folder, sources: [source])
    let outcome = try studio.sheaf("record", source, "--quiet")
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("cannot open the source: \(source): \(reason)"))
    #expect(outcome.standardError.contains("v4l2-ctl --list-devices"))
  }

  @Test func `settings that the source or an encoder does not have are usage errors`() throws {
    let studio = try RecordingStudio(in: folder)
    for (options, problem) in [
      (["udp://127.0.0.1:1", "--size", "720p"], "needs a camera"),
      (["alsa://hw:0,0", "--frame-rate", "25"], "needs a camera"),
      (["v4l2:///dev/video0", "--size", "4x4"], "from 16 to 16384"),
      (["udp://127.0.0.1:1", "--video-bit-rate", "1k"], "from 10000 to 1000000000"),
      (["udp://127.0.0.1:1", "--audio-bit-rate", "1M"], "from 8000 to 512000"),
      (["udp://127.0.0.1:1", "--keyframe-interval", "0"], "keyframe-interval"),
    ] {
      let outcome = try studio.sheaf(["record"] + options + ["--detach"])
      #expect(outcome.status == 2)
      #expect(outcome.standardError.contains(problem), "\(outcome.standardError)")
    }
  }

  @Test func `a recording stops after its length, and can be deleted`() throws {
    let path = try stream(3, frames: 120)
    let studio = try RecordingStudio(in: folder)
    let sender = Thread { [sender = studio.sender] in
      try? blockUntil("the coordinator listens") {
        (try? sender.send(path, over: "tcp-listen")) != nil
      }
    }
    sender.start()
    let outcome = try studio.sheaf(
      "record", "tcp-listen://127.0.0.1:\(studio.port)", "--length", "2s", "-o", "two.mp4")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let frames = try FrameNameReader.names(in: folder.path("two.mp4"))
    #expect(frames.count >= 48 && frames.count < 120)
    #expect(frames == names(0..<frames.count, of: 3))
    let id = String(outcome.standardOutput.prefix { $0 != " " })
    #expect(try studio.sheaf("recording", id, "--delete").status == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("data/recordings/\(id)")))
    #expect(try studio.sheaf("recording", id).status != 0)
  }
}
