import Foundation
import Processes
import Support
import Testing

/// Live sources that `ffmpeg` sends, recorded by a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(5))) struct RecordingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Sends streams to a port of the loopback address.
  private struct Sender: Sendable {
    let port: UInt16

    /// Sends a stream at its own pace.
    func send(_ path: String, over transport: String) throws {
      _ = try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-re", "-i", path, "-c", "copy", "-f", "mpegts",
          transport == "udp"
            ? "udp://127.0.0.1:\(port)?pkt_size=1316" : "tcp://127.0.0.1:\(port)",
        ])
    }
  }

  /// A coordinator that may record from two free ports.
  private final class Studio {
    let folder: TemporaryDirectory
    let port: UInt16
    private(set) var process: Subprocess
    private(set) var origin: String

    init(in folder: TemporaryDirectory) throws {
      self.folder = folder
      port = try Self.freePort()
      (process, origin) = try Self.start(folder, port, at: 0)
    }

    deinit { process.destroy() }

    private static func start(
      _ folder: TemporaryDirectory, _ port: UInt16, at own: Int
    ) throws -> (Subprocess, String) {
      let process = Program.coordinator.process([
        "serve", "--data", folder.path("data"), "--port", "\(own)", "--quiet",
        "--recording-source", "udp://127.0.0.1:\(port)",
        "--recording-source", "tcp-listen://127.0.0.1:\(port)",
      ])
      return (process, try process.startListening())
    }

    /// Kills the coordinator without warning, and starts it again at the same address.
    func killAndRestart() throws {
      process.destroy()
      let own = try #require(URL(string: origin)?.port)
      (process, origin) = try Self.start(folder, port, at: own)
    }

    /// Stops the coordinator in order, and starts it again at the same address.
    func restart() throws {
      process.terminate()
      process.wait()
      let own = try #require(URL(string: origin)?.port)
      (process, origin) = try Self.start(folder, port, at: own)
    }

    /// A port of the loopback address that nobody uses.
    private static func freePort() throws -> UInt16 {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, size)
          _ = getsockname(descriptor, $0, &size)
        }
      }
      return UInt16(bigEndian: address.sin_port)
    }

    func sheaf(_ arguments: String...) throws -> Program.Outcome {
      try Program.sheaf.run(arguments + ["--coordinator", origin], in: folder.path)
    }

    /// Begins a recording, and returns its id.
    func begin(_ transport: String) throws -> String {
      let outcome = try sheaf(
        "record", "\(transport)://127.0.0.1:\(port)", "--name", "take", "--detach")
      try #require(outcome.status == 0, "\(outcome.standardError)")
      return String(outcome.standardOutput.prefix { $0 != " " })
    }

    /// The recording as the API describes it.
    func status(_ id: String) throws -> [String: Any] {
      let data = try Tool.run("curl", ["-sS", "\(origin)/api/v1/recordings/\(id)"])
      return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Waits until a recording has at least this many bytes.
    func waitForBytes(_ id: String, _ count: Int) throws {
      try blockUntil("the recording grows") {
        (try status(id)["byteCount"] as? Int ?? 0) >= count
      }
    }

    /// The sender of streams to the coordinator.
    var sender: Sender { Sender(port: port) }

    /// Sends a stream at its own pace.
    func send(_ path: String, over transport: String) throws {
      try sender.send(path, over: transport)
    }

    /// Ends a recording and saves its file.
    func finish(_ id: String, to output: String = "take.mp4") throws -> String {
      let stopped = try sheaf("stop", id)
      try #require(stopped.status == 0, "\(stopped.standardError)")
      let saved = try sheaf("recording", id, "-o", output, "--quiet")
      try #require(saved.status == 0, "\(saved.standardError)")
      let path = folder.path(output)
      let check = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
      #expect(check.standardError == "")
      return path
    }
  }

  /// A transport stream of frames that name themselves, 24 a second with a keyframe every 12, and sound.
  private func stream(_ source: Int, frames: Int) throws -> String {
    let (pictures, path) = (folder.path("\(source).mp4"), folder.path("\(source).ts"))
    try FrameNamingClip(
      source: source, frameCount: frames, rate: "24",
      encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
    ).write(to: pictures)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", pictures, "-f", "lavfi", "-i", "sine=r=48000", "-c:v", "copy", "-c:a",
        "aac", "-shortest", "-muxdelay", "0", path,
      ])
    return path
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  @Test(arguments: ["udp", "tcp-listen"])
  func `every frame that is sent is in the finished file`(transport: String) throws {
    let path = try stream(3, frames: 96)
    let studio = try Studio(in: folder)
    let id = try studio.begin(transport)
    if transport == "udp" {
      // Datagrams to a socket that is not open yet would be lost.
      try blockUntil("the socket is open") {
        try String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
          .contains(":" + String(studio.port, radix: 16, uppercase: true))
      }
    } else {
      try blockUntil("the socket is open") {
        try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
          .contains(":" + String(studio.port, radix: 16, uppercase: true))
      }
    }
    try studio.send(path, over: transport)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    let status = try studio.status(id)
    #expect(status["state"] as? String == "finished")
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 1)
  }

  @Test func `a sender that comes back continues the recording after a gap`() throws {
    let (first, second) = (try stream(3, frames: 48), try stream(4, frames: 48))
    let studio = try Studio(in: folder)
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

  @Test func `a recording survives the death of its coordinator`() throws {
    let (first, second) = (try stream(3, frames: 240), try stream(4, frames: 48))
    let studio = try Studio(in: folder)
    let id = try studio.begin("tcp-listen")
    let sender = Thread { [sender = studio.sender] in
      try? sender.send(first, over: "tcp-listen")
    }
    try blockUntil("the coordinator listens") {
      try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        .contains(":" + String(studio.port, radix: 16, uppercase: true))
    }
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

  @Test func `a coordinator that is stopped in order commits what it has received`() throws {
    let path = try stream(3, frames: 60)
    let studio = try Studio(in: folder)
    let id = try studio.begin("tcp-listen")
    // The sender keeps its connection, so the last group stays open.
    let sender = Subprocess(
      "/bin/bash",
      [
        "-c",
        "until exec 3<>/dev/tcp/127.0.0.1/\(studio.port); do :; done 2>/dev/null; "
          + "cat \(path) >&3; cat <&3",
      ])
    sender.standardError = .null
    try sender.run()
    defer { sender.destroy() }
    try blockUntil("two fragments are committed") {
      (try studio.status(id)["duration"] as? Int ?? 0) >= 2
    }
    try studio.restart()
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<60, of: 3))
  }

  @Test func `a recording that was told to stop ends, even if its coordinator dies`() throws {
    let path = try stream(3, frames: 48)
    let studio = try Studio(in: folder)
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

  @Test func `bytes that are no media fail the recording by name, and nothing else`() throws {
    let studio = try Studio(in: folder)
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
  }

  @Test func `a source that the operator does not allow is refused by name`() throws {
    let studio = try Studio(in: folder)
    let outcome = try studio.sheaf("record", "udp://127.0.0.1:1", "--detach")
    #expect(outcome.status == 5 || outcome.status == 1)
    #expect(outcome.standardError.contains("--recording-source udp://127.0.0.1:1"))
    #expect(try studio.sheaf("record", "ftp://x:1").status == 2)
  }

  @Test func `a recording stops after its length, and can be deleted`() throws {
    let path = try stream(3, frames: 120)
    let studio = try Studio(in: folder)
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
