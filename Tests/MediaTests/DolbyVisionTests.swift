import Foundation
import Media
import Support
import Testing
import Timeline

/// What is made of files that say that they are Dolby Vision.
struct DolbyVisionTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Writes HEVC in MP4 with a Dolby Vision configuration.
  ///
  /// - Parameter track: the stream's place beside one of H.264, followed by sound; `nil` if it is alone.
  private func write(
    profile: UInt8, compatibility: UInt8, hasBase: Bool = true, beside track: Int? = nil
  ) throws -> String {
    let path = folder.path("vision.mp4")
    let hevc = [
      "-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p10le", "-tag:v",
      "hvc1",
    ]
    let alone = folder.path("alone.mp4")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5"] + hevc + [alone])
    var streams = ["-c", "copy"]
    if let track {
      let (first, second) = track == 0 ? ("0:v", "1:v") : ("1:v", "0:v")
      streams = [
        "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-f", "lavfi", "-i", "sine=d=0.5",
        "-map", first, "-map", second, "-map", "2:a", "-c:v:\(track)", "copy",
        "-tag:v:\(track)", "hvc1", "-c:v:\(1 - track)", "libx264", "-c:a", "aac",
      ]
    }
    try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", alone] + streams + [path])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let level: UInt8 = 1
    // Profile (7 bits), level (6), metadata, enhancement and base (a bit each), compatibility (4).
    let record: [UInt8] =
      [1, 0, profile << 1 | level >> 5, level << 3 | 0b100 | (hasBase ? 1 : 0), compatibility << 4]
      + [UInt8](repeating: 0, count: 19)
    let box =
      [0, 0, 0, UInt8(record.count + 8)] + Array((profile > 7 ? "dvvC" : "dvcC").utf8) + record
    var place = bytes.startIndex
    var end = 0
    // The boxes around, each of which grows. Chunk offsets stay: the index is last.
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd", "hvc1"] {
      place = try #require(bytes[place...].firstRange(of: Array(type.utf8))?.lowerBound)
      if type == "trak", track == 1 {
        place = try #require(bytes[(place + 4)...].firstRange(of: Array(type.utf8))?.lowerBound)
      }
      let size = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
      end = place - 4 + size
      let grown = size + box.count
      for byte in 0..<4 { bytes[place - 4 + byte] = UInt8(grown >> (24 - 8 * byte) & 0xFF) }
    }
    bytes.insert(contentsOf: box, at: end)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(arguments: [(5, 0), (8, 0)] as [(UInt8, UInt8)])
  func `a profile whose base layer nothing else shows right is unreadable`(
    profile: UInt8, compatibility: UInt8
  ) throws {
    let path = try write(profile: profile, compatibility: compatibility)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    #expect(
      index.video.map(\.unreadable) == [
        "has Dolby Vision profile \(profile), whose colors only a Dolby Vision decoder can show correctly"
      ])
  }

  @Test(arguments: [0, 1])
  func `each stream has its own refusal, and sound beside it can be used`(place: Int) throws {
    let path = try write(profile: 5, compatibility: 0, beside: place)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    try #require(index.video.count == 2)
    #expect(index.video[place].unreadable?.hasPrefix("has Dolby Vision profile 5") == true)
    #expect(index.video[1 - place].unreadable == nil)
    #expect(index.audio.map(\.unreadable) == [nil])
  }

  @Test(arguments: [(8, 1), (8, 4), (8, 2), (7, 6)] as [(UInt8, UInt8)])
  func `a profile with a compatible base layer is used by that`(
    profile: UInt8, compatibility: UInt8
  ) throws {
    let path = try write(profile: profile, compatibility: compatibility)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    #expect(index.video[0].frames.times.count == 5)
  }

  @Test func `an enhancement layer alone is refused`() throws {
    let path = try write(profile: 7, compatibility: 6, hasBase: false)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    #expect(
      index.video.map(\.unreadable) == ["is an enhancement layer of Dolby Vision profile 7"])
  }
}
