import Foundation
import Support
import Testing

/// Cut and joined clips whose sound passthrough copies in part, checked with other tools.
@Suite(.mayBlock) struct SplicedSoundTests {
  /// Samples per frame at 25 frames and 48,000 samples per second.
  private static let frame = 1920

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A clip with pictures at 25 frames per second and the sound of a click track.
  private func write(_ name: String, source: Int, frames: Int, clicks: [Int]) throws {
    let (pictures, sound) = (folder.path("pictures.mp4"), folder.path("sound.wav"))
    try FrameNamingClip(
      source: source, frameCount: frames, rate: "25",
      encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
    ).write(to: pictures)
    try ClickTrack(sampleCount: frames * Self.frame, clicks: clicks).write(to: sound)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", pictures, "-i", sound, "-map", "0:v", "-map", "1:a", "-c:v",
        "copy", "-c:a", "aac", "-aac_pns", "0", "-b:a", "128k", "-bitexact", folder.path(name),
      ])
  }

  /// A file's first audio stream, packet by packet.
  private func packets(_ path: String) throws -> [String] {
    let text = String(
      decoding: try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", path, "-map", "0:a:0", "-c", "copy", "-f", "framehash", "-hash",
          "md5", "-",
        ]), as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").dropFirst(5).first?.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test func `every sample of cut and joined clips is in its place`() throws {
    let clicks = [40_000, 200_000, 420_000, 500_000, 700_001]
    try write("a.mp4", source: 1, frames: 404, clicks: clicks)
    try write("b.mp4", source: 2, frames: 75, clicks: [50_000, 100_001])
    // 48 frames are 90 packets. The second clip begins half a packet off the grid.
    let project = """
      {"version": 1,
       "sequence": [
         {"clip": "a.mp4", "out": 6}, {"clip": "a.mp4", "in": "198/25"}, {"clip": "b.mp4"}],
       "export": {"preset": "passthrough"}}
      """
    let file = try Rendered(project: project, in: folder)
    let (first, second) = (150 * Self.frame, 206 * Self.frame)
    let count = first + second + 75 * Self.frame
    #expect(
      try file.ffprobe([
        "-select_streams", "a:0", "-show_entries", "stream=duration_ts,sample_rate", "-of",
        "csv=p=0",
      ]) == "48000,\(count)")
    let heard = try PCM.read(file.path, channels: 2)[0]
    let expected =
      [40_000, 200_000] + [420_000, 500_000, 700_001].map { $0 - 90 * 1024 }
      + [50_000, 100_001].map { $0 + first + second }
    #expect(heard.count >= count)
    let loudest = expected.map { click in
      (click - 500..<click + 500).max { abs(heard[$0]) < abs(heard[$1]) }
    }
    #expect(loudest == expected)
    let near = Set(expected.flatMap { $0 - 500..<$0 + 500 })
    #expect(!heard.indices.contains { abs(heard[$0]) > 0.2 && !near.contains($0) })
    #expect(try file.complaints() == "")
    // Of the first clip's 667 packets of sound, all but a few beside the cut and its end are the source's.
    let originals = Set(try packets(folder.path("a.mp4")))
    let copied = try packets(file.path).filter(originals.contains)
    #expect(copied.count > 620)
  }

  @Test func `the plan says how much sound can be copied`() throws {
    try write("a.mp4", source: 1, frames: 100, clicks: [])
    let project = """
      {"version": 1, "sequence": [{"clip": "a.mp4"}, {"clip": "a.mp4", "volume": "1/2"}],
       "export": {"preset": "passthrough"}}
      """
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["plan", "cut.json"], in: folder.path)
    let stated = outcome.standardOutput.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(stated.contains("384000 samples of sound, at most 192000 of them copied"))
  }
}
