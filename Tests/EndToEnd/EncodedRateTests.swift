import Foundation
import Support
import Testing

/// The bit rate of parts that are encoded beside copied ones.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EncodedRateTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Writes noisy footage of 25 frames per second at a limited bit rate, with keyframes `interval` frames apart.
  private func write(_ name: String, seed: Int, seconds: Int, interval: Int) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25", "-t", "\(seconds)",
        "-vf", "noise=alls=40:allf=t+u:all_seed=\(seed)", "-c:v", "libx264", "-preset", "veryfast",
        "-b:v", "500k", "-maxrate", "500k", "-bufsize", "250k", "-g", "\(interval)", "-keyint_min",
        "\(interval)", "-sc_threshold", "0", "-pix_fmt", "yuv420p", "-threads", "1", "-bitexact",
        folder.path(name),
      ])
  }

  /// The times of a file's video packets in seconds, and their sizes in bits.
  private func packets(_ path: String) throws -> [(time: Double, bits: Int)] {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,size", "-of",
          "csv=p=0", path,
        ]), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",")
      guard fields.count >= 2, let time = Double(fields[0]), let size = Int(fields[1]) else {
        return nil
      }
      return (time, size * 8)
    }.sorted { $0.time < $1.time }
  }

  /// The maximum number of bits in any second that starts with a packet.
  private func peak(_ packets: [(time: Double, bits: Int)]) -> Int {
    packets.indices.map { first in
      packets[first...].prefix { $0.time < packets[first].time + 0.999 }
        .reduce(0) { $0 + $1.bits }
    }.max() ?? 0
  }

  @Test func `no second of a long encoded part exceeds its rate and buffer`() throws {
    try write("copied.mp4", seed: 1, seconds: 2, interval: 25)
    // The cut is after its only keyframe, so all of it is encoded, at a quality that needs many times its own bits.
    try write("encoded.mp4", seed: 2, seconds: 8, interval: 250)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "copied.mp4"}, {"clip": "encoded.mp4", "in": "1/5"}],
         "export": {"preset": "passthrough", "fileType": "mp4", "video": {"crf": 4}}}
        """, in: folder, workers: 1)
    let sources = try ["copied.mp4", "encoded.mp4"].map { try peak(packets(folder.path($0))) }
    let limit = try #require(sources.max()) * 7 / 4
    let all = try packets(file.path)
    try #require(all.count == 50 + 195)
    let encoded = Array(all[50...])
    let found = peak(encoded)
    #expect(
      found <= 2 * limit, "\(found) bits in a second, limited to \(limit) and as many buffered")
    // Without a limit it would take four times the limit.
    #expect(found > limit)
  }
}
