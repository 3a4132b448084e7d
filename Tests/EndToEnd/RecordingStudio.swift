import Foundation
import Processes
import Support
import Testing

/// Sends streams to a port of the loopback address.
struct StreamSender: Sendable {
  let port: UInt16

  /// The passphrase for SRT, or the stream key for RTMP, if there is one.
  var passphrase: String?

  /// Sends a stream at its own pace, or as fast as the coordinator reads it.
  func send(_ path: String, over transport: String, isPaced: Bool = true) throws {
    _ = try Tool.run(
      "ffmpeg",
      ["-v", "error"] + (isPaced ? ["-re"] : []) + [
        "-i", path, "-c", "copy", "-f",
        transport == "rtmp-listen" ? "flv" : "mpegts", destination(for: transport),
      ])
  }

  /// The address that a sender connects to or listens at.
  private func destination(for transport: String) -> String {
    let secret = passphrase.map { "&passphrase=\($0)" } ?? ""
    return switch transport {
    case "udp": "udp://127.0.0.1:\(port)?pkt_size=1316"
    // Waits at the end until everything is sent.
    case "srt-listen": "srt://127.0.0.1:\(port)?mode=caller&linger=10\(secret)"
    case "rtmp-listen": "rtmp://127.0.0.1:\(port)/live/\(passphrase ?? "any")"
    case "srt": "srt://127.0.0.1:\(port)?mode=listener&linger=10\(secret)"
    default: "tcp://127.0.0.1:\(port)"
    }
  }
}

/// A coordinator that may record from a free port, over each transport.
final class RecordingStudio {
  let folder: TemporaryDirectory
  let port: UInt16
  private(set) var process: Subprocess
  private(set) var origin: String

  /// Further sources from which the coordinator may record.
  private let sources: [String]

  init(in folder: TemporaryDirectory, sources: [String] = []) throws {
    self.folder = folder
    self.sources = sources
    port = try Ports.free()
    (process, origin) = try Self.start(folder, port, sources, at: 0)
  }

  deinit { process.destroy() }

  private static let transports = ["udp", "tcp-listen", "srt-listen", "srt", "rtmp-listen"]

  private static func start(
    _ folder: TemporaryDirectory, _ port: UInt16, _ sources: [String], at own: Int
  ) throws -> (Subprocess, String) {
    let process = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "\(own)"]
        + (transports.map { "\($0)://127.0.0.1:\(port)" } + sources).flatMap {
          ["--recording-source", $0]
        })
    let log = URL(fileURLWithPath: folder.path("log"))
    if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
    let handle = try FileHandle(forWritingTo: log)
    try handle.seekToEnd()
    process.standardError = .file(handle)
    return (process, try process.startListening())
  }

  /// Kills the coordinator without warning, and starts it again at the same address.
  func killAndRestart() throws {
    process.destroy()
    let own = try #require(URL(string: origin)?.port)
    (process, origin) = try Self.start(folder, port, sources, at: own)
  }

  /// Stops the coordinator normally, calls `change`, and starts the coordinator again at the same address.
  func restart(after change: () throws -> Void = {}) throws {
    process.terminate()
    process.wait()
    try change()
    let own = try #require(URL(string: origin)?.port)
    (process, origin) = try Self.start(folder, port, sources, at: own)
  }

  func sheaf(_ arguments: String...) throws -> Program.Outcome { try sheaf(arguments) }

  func sheaf(_ arguments: [String]) throws -> Program.Outcome {
    try Program.sheaf.run(arguments + ["--coordinator", origin], in: folder.path)
  }

  /// Starts a recording, and returns its id.
  ///
  /// - Parameter options: further arguments.
  func begin(_ transport: String, options: [String] = []) throws -> String {
    try begin(source: "\(transport)://127.0.0.1:\(port)", options: options)
  }

  /// Starts a recording of a source, and returns its id.
  func begin(source: String, options: [String] = []) throws -> String {
    let outcome = try Program.sheaf.run(
      ["record", source, "--name", "take", "--detach"]
        + ["--coordinator", origin] + options, in: folder.path)
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
    do {
      try blockUntil("the recording grows") {
        (try status(id)["byteCount"] as? Int ?? 0) >= count
      }
    } catch {
      Issue.record("the recording: \(try status(id)); the coordinator says: \(try log)")
      throw error
    }
  }

  /// The coordinator's log so far.
  var log: String {
    get throws { try String(contentsOfFile: folder.path("log"), encoding: .utf8) }
  }

  /// The sender of streams to the coordinator.
  var sender: StreamSender { StreamSender(port: port) }

  /// Sends a stream at its own pace.
  func send(_ path: String, over transport: String) throws {
    try sender.send(path, over: transport)
  }

  /// Stops a recording and saves its file.
  func finish(_ id: String, to output: String = "take.mp4") throws -> String {
    let stopped = try sheaf("stop", id)
    try #require(stopped.status == 0, "\(stopped.standardError)")
    let saved = try sheaf("recording", id, "-o", output, "--quiet")
    try #require(saved.status == 0, "\(saved.standardError)")
    let path = folder.path(output)
    // The pauses between parts are not multiples of a frame, so frames keep the source's time base.
    let check = try Tool.output(
      of: "ffmpeg",
      [
        "-v", "error", "-i", path, "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f",
        "null", "-",
      ])
    #expect(check.standardError == "")
    return path
  }

  /// A transport stream of frames that name themselves, 24 a second with a keyframe every 12, and sound.
  static func stream(
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
