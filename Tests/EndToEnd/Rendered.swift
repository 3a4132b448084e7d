import Crypto
import Foundation
import Support
import Testing

/// A project rendered with `sheaf render`.
struct Rendered {
  let path: String

  /// Renders a project whose clips are in `folder`. Fails the test unless the program exits with 0.
  init(
    project: String, in folder: TemporaryDirectory, workers: Int = 2, slots: Int = 1,
    output: String = "out.mp4"
  ) throws {
    let file = folder.path("cut-\(UUID().uuidString).json")
    try project.write(toFile: file, atomically: true, encoding: .utf8)
    try self.init([file], in: folder, workers: workers, slots: slots, output: output)
  }

  /// Renders with the given arguments.
  init(
    _ arguments: [String], in folder: TemporaryDirectory, workers: Int = 2, slots: Int = 1,
    output: String = "out.mp4"
  ) throws {
    path = folder.path(output)
    let outcome = try Program.sheaf.run(
      ["render"] + arguments
        + ["-o", path, "--workers", "\(workers)", "--slots", "\(slots)", "--overwrite"],
      in: folder.path)
    try #require(outcome.status == 0, "sheaf render: \(outcome.standardError)")
  }

  /// The file's SHA-256.
  var digest: Digest { get throws { try Digest.of(file: path) } }

  /// The packets of the first video stream, in file order.
  func videoPackets() throws -> [Packet] {
    let text = try ffprobe([
      "-select_streams", "v:0", "-show_entries", "packet=pts,dts,duration,flags", "-of", "json",
    ])
    struct Answer: Decodable { let packets: [Packet] }
    return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).packets
  }

  /// The output of ffprobe, without white space at the ends.
  func ffprobe(_ arguments: [String]) throws -> String {
    String(
      decoding: try Tool.run("ffprobe", ["-v", "error"] + arguments + [path]), as: UTF8.self
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The errors of a full decode with ffmpeg; empty for an intact file.
  func complaints() throws -> String {
    try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"]).standardError
  }

  struct Packet: Decodable {
    let pts: Int64
    let dts: Int64
    let duration: Int64
    let flags: String
  }
}
