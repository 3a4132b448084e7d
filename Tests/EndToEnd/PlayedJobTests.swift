import Crypto
import Foundation
import Processes
import Support
import Testing

/// Jobs that players of HTTP Live Streaming play while they are rendered.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PlayedJobTests {
  /// A coordinator and a worker.
  private final class Farm {
    let folder: TemporaryDirectory
    let url: String
    let worker: Subprocess
    private let coordinator: Subprocess

    init() throws {
      folder = try TemporaryDirectory()
      coordinator = Program.coordinator.process([
        "serve", "--data", folder.path("data"), "--port", "0",
      ])
      coordinator.standardError = .null
      url = try coordinator.startListening()
      worker = Program.worker.process([
        "--coordinator", url, "--cache", folder.path("cache"), "--slots", "1",
      ])
      worker.standardError = .null
    }

    deinit {
      worker.destroy()
      coordinator.destroy()
    }

    /// The paths of all stored chunks.
    var chunks: [String] {
      get throws {
        let stored = folder.path("data/chunks")
        // Each is in a folder.
        return try FileManager.default.subpathsOfDirectory(atPath: stored)
          .filter { $0.contains("/") }.map { "\(stored)/\($0)" }
      }
    }

    func get(_ path: String) throws -> String {
      String(decoding: try Tool.run("curl", ["-sS", "\(url)/api/v1/\(path)"]), as: UTF8.self)
    }
  }

  /// A hash of each packet of a stream.
  private func packets(_ kind: String, of path: String) throws -> [String] {
    let text = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", path, "-map", "0:\(kind)", "-c", "copy", "-f", "framemd5", "-"])
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      // The hash may be followed by that of side data.
      .compactMap { line in
        let fields = line.split(separator: ",")
        return fields.count > 5 ? fields[5].trimmingCharacters(in: .whitespaces) : nil
      }
  }

  @Test(arguments: [
    // Copied, blended and encoded segments.
    #"{"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1}, {"clip": "b.mp4"}"#,
    #"{"clip": "a.mp4", "in": "0.5"}, {"clip": "b.mp4", "out": 6}"#,
  ])
  func `a player that starts early gets every packet of the finished file`(
    sequence: String
  ) throws {
    let farm = try Farm()
    for (source, name) in [(3, "a.mp4"), (4, "b.mp4")] {
      let stream = try RecordingStudio.stream(source, frames: 24 * 12, in: farm.folder)
      try Tool.run("ffmpeg", ["-v", "error", "-i", stream, "-c", "copy", farm.folder.path(name)])
    }
    try Data(#"{"version": 1, "sequence": [\#(sequence)]}"#.utf8)
      .write(to: URL(fileURLWithPath: farm.folder.path("cut.json")))
    let outcome = try Program.sheaf.run(
      ["submit", "cut.json", "--in-order", "--quiet", "--coordinator", farm.url],
      in: farm.folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let id = outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    try farm.worker.run()
    try blockUntil("a part is listed") { try farm.get("jobs/\(id)/stream.m3u8").contains(".m4s") }
    let heard = farm.folder.path("heard.mp4")
    let player = Subprocess(
      "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-live_start_index", "0", "-copyts", "-i",
        "\(farm.url)/api/v1/jobs/\(id)/stream.m3u8", "-c", "copy", "-f", "mp4", heard,
      ])
    try player.run()
    #expect(player.wait() == .exited(0))
    let output = farm.folder.path("out.mp4")
    try Tool.run("curl", ["-sS", "\(farm.url)/api/v1/jobs/\(id)/output", "-o", output])
    for kind in ["v:0", "a:0"] {
      let played = try packets(kind, of: heard)
      #expect(played.count > 200)
      #expect(try played == packets(kind, of: output))
    }
    // Copied segments have chunks that refer to a clip, and encoded ones have others.
    let chunks = try farm.chunks
    let referring = try chunks.filter { try ReferenceTable.Target(ofFile: $0) != nil }
    #expect(!referring.isEmpty && referring.count < chunks.count)
    for index in chunks.indices {
      let picture = farm.folder.path("picture.jpg")
      try Tool.run(
        "curl",
        ["-sSf", "\(farm.url)/api/v1/jobs/\(id)/segments/\(index)/thumbnail", "-o", picture])
      let codec = try Tool.run(
        "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", picture])
      #expect(String(decoding: codec, as: UTF8.self) == "mjpeg\n")
    }
    let playlist = try farm.get("jobs/\(id)/stream.m3u8")
    #expect(playlist.hasSuffix("#EXT-X-ENDLIST\n"))
    // Nothing keeps the assets of a completed job.
    let assets = farm.folder.path("data/assets")
    for name in try FileManager.default.contentsOfDirectory(atPath: assets) {
      try FileManager.default.removeItem(atPath: "\(assets)/\(name)")
    }
    let pieces = playlist.split(separator: "\n").filter { $0.hasSuffix(".m4s") }
    let answers = try pieces.map { piece in
      String(
        decoding: try Tool.run(
          "curl",
          [
            "-sS", "-w", "%{http_code}", "\(farm.url)/api/v1/jobs/\(id)/\(piece)", "-o",
            "/dev/null",
          ]
        ), as: UTF8.self)
    }
    #expect(answers.contains("404") && Set(answers).isSubset(of: ["200", "404"]))
  }
}
