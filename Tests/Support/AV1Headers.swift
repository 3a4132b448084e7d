import Foundation

/// The headers of an AV1 file, as libavcodec reads them.
public enum AV1Headers {
  /// The numbers of each field, in the order of the description and the packets of the first video stream.
  public static func fields(of path: String) throws -> [String: [Int]] {
    let log = try Tool.output(
      of: "ffmpeg",
      [
        "-hide_banner", "-i", path, "-map", "0:v:0", "-c", "copy", "-bsf:v", "trace_headers", "-f",
        "null", "-",
      ]
    ).standardError
    // [trace_headers @ 0x55f3e58580c0] 40  seq_level_idx[0]  00101 = 5
    var fields: [String: [Int]] = [:]
    for line in log.split(separator: "\n") where line.hasPrefix("[trace_headers") {
      let words = line.split(separator: " ")
      guard words.count > 5, words[words.count - 2] == "=", let number = Int(words[words.count - 1])
      else { continue }
      fields[String(words[4]), default: []].append(number)
    }
    return fields
  }
}
