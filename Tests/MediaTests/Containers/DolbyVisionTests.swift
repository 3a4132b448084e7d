import Foundation
import Media
import Support
import Testing
import Timeline

/// The handling of files that declare Dolby Vision.
@Suite(.mayBlock) struct DolbyVisionTests {
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
  func `a profile whose base layer is not compatible is unreadable`(
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
  func `only the incompatible stream is unreadable, and the sound beside it can be used`(
    place: Int
  ) throws {
    let path = try write(profile: 5, compatibility: 0, beside: place)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    try #require(index.video.count == 2)
    #expect(index.video[place].unreadable?.hasPrefix("has Dolby Vision profile 5") == true)
    #expect(index.video[1 - place].unreadable == nil)
    #expect(index.audio.map(\.unreadable) == [nil])
  }

  @Test(arguments: [(8, 1), (8, 4), (8, 2), (7, 6)] as [(UInt8, UInt8)])
  func `a profile with a compatible base layer is read through that layer`(
    profile: UInt8, compatibility: UInt8
  ) throws {
    let path = try write(profile: profile, compatibility: compatibility)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    #expect(index.video[0].frames.times.count == 5)
  }

  // MARK: Metadata in packets

  /// A unit of Dolby Vision metadata with a start code.
  ///
  /// - Parameters:
  ///   - type: `rpu_type`; only 2 is defined.
  ///   - profile: `vdr_rpu_profile`, which is not the profile of Dolby Vision.
  private func metadata(type: Int, profile: Int, isFullRange: Bool) throws -> [UInt8] {
    func bits(_ value: Int, _ count: Int) -> String {
      let digits = String(value, radix: 2)
      return String(repeating: "0", count: count - digits.count) + digits
    }
    // Type, format, profile and level; then sequence fields, with coefficients in fixed point of 23 bits.
    var text = bits(type, 6) + bits(18, 11) + bits(profile, 4) + bits(0, 4)
    text += "1" + "0" + "00" + "000011000" + "01" + (isFullRange ? "1" : "0")
    text += String(repeating: "1", count: 8 - text.count % 8)
    let bytes = try stride(from: 0, to: text.count, by: 8).map { place in
      try #require(UInt8(text.dropFirst(place).prefix(8), radix: 2))
    }
    let head: [UInt8] = [0, 0, 0, 1, 62 << 1, 1, 0x19]
    return head + bytes + [0xA5, 0x80]
  }

  /// Writes HEVC in MP4 without a configuration, with a unit after each picture.
  ///
  /// - Parameter transfer: the transfer that the stream states; `nil` if it states none.
  private func write(_ unit: [UInt8], transfer: String?) throws -> String {
    let stream = folder.path("stream.hevc")
    var arguments = [
      "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-c:v", "libx265",
      "-x265-params", "log-level=none:bframes=0", "-pix_fmt", "yuv420p10le",
    ]
    if let transfer { arguments += ["-color_trc", transfer] }
    try Tool.run("ffmpeg", arguments + ["-f", "hevc", stream])
    var source = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stream)))[...]
    var marked: [UInt8] = []
    var isPicture = false
    while !source.isEmpty {
      guard source.starts(with: [0, 0, 1]) else {
        marked.append(source.removeFirst())
        continue
      }
      if isPicture { marked += unit }
      let kind = source.dropFirst(3).first.map { $0 >> 1 & 0x3F } ?? 63
      isPicture = kind < 32
      marked += source.prefix(3)
      source = source.dropFirst(3)
    }
    if isPicture { marked += unit }
    try Data(marked).write(to: URL(fileURLWithPath: stream))
    let path = folder.path("vision.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "fatal", "-y", "-fflags", "+genpts", "-r", "10", "-i", stream, "-c", "copy",
        "-tag:v", "hvc1", path,
      ])
    return path
  }

  private func refusal(_ unit: [UInt8], transfer: String?) throws -> String? {
    let path = try write(unit, transfer: transfer)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    let stream = try #require(index.video.first)
    #expect(stream.frames.times.count == 5)
    #expect(stream.color.transfer == transfer)
    return stream.unreadable
  }

  @Test(arguments: [nil, "smpte2084"] as [String?])
  func `profile 5 is recognized by its metadata if the container has no configuration`(
    transfer: String?
  ) throws {
    let unit = try metadata(type: 2, profile: 0, isFullRange: true)
    #expect(
      try refusal(unit, transfer: transfer)
        == "has Dolby Vision profile 5, whose colors only a Dolby Vision decoder can show correctly"
    )
  }

  @Test(arguments: [nil, "smpte2084", "arib-std-b67"] as [String?])
  func `metadata of a profile with a compatible base layer is ignored`(transfer: String?) throws {
    let unit = try metadata(type: 2, profile: 1, isFullRange: false)
    #expect(try refusal(unit, transfer: transfer) == nil)
  }

  @Test(arguments: [(2, 0), (2, 3), (9, 1)])
  func `inconclusive metadata is rejected in a stream that states no transfer`(
    type: Int, profile: Int
  ) throws {
    let unit = try metadata(type: type, profile: profile, isFullRange: false)
    let refusal = try refusal(unit, transfer: nil)
    #expect(refusal?.hasPrefix("has Dolby Vision metadata, but states neither") == true)
    #expect(try self.refusal(unit, transfer: "smpte2084") == nil)
  }

  @Test func `an enhancement layer on its own is rejected`() throws {
    let path = try write(profile: 7, compatibility: 6, hasBase: false)
    let index = try MediaProber.index(of: FileByteSource(path: path), named: "vision.mp4")
    #expect(
      index.video.map(\.unreadable) == ["is an enhancement layer of Dolby Vision profile 7"])
  }
}
