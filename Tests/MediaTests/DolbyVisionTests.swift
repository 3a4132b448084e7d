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
  private func write(profile: UInt8, compatibility: UInt8, hasBase: Bool = true) throws -> String {
    let path = folder.path("vision.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-c:v", "libx265",
        "-x265-params", "log-level=none", "-pix_fmt", "yuv420p10le", "-tag:v", "hvc1", path,
      ])
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
  func `a profile whose base layer nothing else shows right is refused by name`(
    profile: UInt8, compatibility: UInt8
  ) throws {
    let path = try write(profile: profile, compatibility: compatibility)
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    }
    #expect(error.code == .unsupportedCodec)
    #expect(error.message.contains("Dolby Vision profile \(profile)"))
    #expect(error.message.contains("vision.mp4"))
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
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    }
    #expect(error.message.contains("enhancement layer of Dolby Vision profile 7"))
  }
}
