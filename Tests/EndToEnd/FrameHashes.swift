import Foundation
import Support

/// Hashes of the decoded frames of a file.
enum FrameHashes {
  /// A hash of each frame of the first video stream, in presentation order.
  static func of(_ path: String) throws -> [String] {
    let text = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5",
        "-",
      ])
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: ",").last.map(String.init) }
  }
}
