import Foundation
import Processes
import Support
import Testing

/// Sends streams to a port of the loopback address.
struct StreamSender: Sendable {
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
final class RecordingStudio {
  let folder: TemporaryDirectory
  let port: UInt16
  private(set) var process: Subprocess
  private(set) var origin: String

  init(in folder: TemporaryDirectory) throws {
    self.folder = folder
    port = try Ports.free()
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
  var sender: StreamSender { StreamSender(port: port) }

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
enum NamedStream {
  /// Writes the stream, and returns its path.
  static func write(
    _ source: Int, frames: Int, in folder: TemporaryDirectory
  ) throws -> String {
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
}
