import Foundation
import Media
import Support
import Testing
import Timeline

/// The properties of an AV1 packet that are known without decoding it.
@Suite(.mayBlock) struct TemporalUnitTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func unit(_ bytes: [UInt8]) -> TemporalUnit? {
    bytes.withUnsafeBytes { TemporalUnit($0) }
  }

  @Test(arguments: [AV1Clip.svt, AV1Clip.aom])
  func `each packet shows one frame, and keyframes reset the decoder`(
    _ encoding: [String]
  ) throws {
    let path = try AV1Clip.write(encoding, in: folder)
    let units = try AV1Clip.packets(of: path).map { try #require(Self.unit($0)) }
    #expect(units.count == 36)
    #expect(units.allSatisfy { $0.shownFrames == 1 })
    #expect(units.indices.filter { units[$0].isReset } == [0, 12, 24])
    // The clip has hidden frames, which are packed with others and shown later by number.
    #expect(try AV1Headers.fields(of: path)["show_existing_frame"]?.contains(1) == true)
  }

  @Test(arguments: [
    AV1Clip.svt, AV1Clip.aom,
    AV1Clip.svt + ["-pix_fmt", "yuv420p10le", "-color_range", "pc", "-colorspace", "bt709"],
    AV1Clip.aom + ["-pix_fmt", "yuv444p", "-color_primaries", "bt2020"],
    AV1Clip.aom + ["-pix_fmt", "yuv422p10le", "-chroma_sample_location", "left"],
    AV1Clip.aom + ["-pix_fmt", "yuv420p12le", "-chroma_sample_location", "topleft"],
    AV1Clip.aom + ["-pix_fmt", "gbrp"], AV1Clip.aom + ["-pix_fmt", "gray"],
  ])
  func `a sequence header is parsed as libavcodec parses it`(_ encoding: [String]) throws {
    let path = try AV1Clip.write(encoding, named: "clip.mkv", in: folder)
    let first = try #require(try AV1Clip.packets(of: path).first)
    let header = try #require(Self.unit(first)?.sequenceHeader)
    let fields = try AV1Headers.fields(of: path)
    func field(_ name: String) -> Int? { fields[name]?.first }
    let form = header.form
    #expect(form.profile == field("seq_profile"))
    #expect(header.level == field("seq_level_idx[0]"))
    #expect(header.isHighTier == (field("seq_tier[0]") == 1))
    #expect(form.size == PixelSize(width: 160, height: 96))
    let isDeep = field("high_bitdepth") == 1
    let isDeepest = field("twelve_bit") == 1
    #expect(form.bitDepth == (isDeepest ? 12 : isDeep ? 10 : 8))
    #expect(form.isMonochrome == (field("mono_chrome") == 1))
    #expect(
      form.color
        == [
          field("color_primaries") ?? 2, field("transfer_characteristics") ?? 2,
          field("matrix_coefficients") ?? 2,
        ])
    // The header does not state the range of red, green and blue.
    #expect(form.isFullRange == (field("color_range") ?? 1 == 1))
    // The record that libavformat writes for the header.
    let record = try Demuxer(source: try FileByteSource(path: path), named: path)
      .streams[0].parameters.parameterSets
    #expect(form.halvesColumns == (record[2] & 8 != 0))
    #expect(form.halvesRows == (record[2] & 4 != 0))
    #expect(form.chromaPosition == (field("chroma_sample_position") ?? 0))
    #expect(header.isPlain)
  }

  @Test func `a header that is cut short, too long or of a still picture is recognized`() throws {
    let path = try AV1Clip.write(AV1Clip.aom, in: folder)
    let first = try #require(try AV1Clip.packets(of: path).first)
    let header = try #require(Self.unit(first)?.sequenceHeader)
    let payload = Array(header.bytes.dropFirst(2))
    #expect(SequenceHeader(payload: payload) == header)
    for count in payload.indices { #expect(SequenceHeader(payload: payload[..<count]) == nil) }
    #expect(SequenceHeader(payload: payload + [1]) == nil)
    #expect(SequenceHeader(payload: payload + [0]) != nil)
    #expect(SequenceHeader(payload: payload + [UInt8](repeating: 0, count: 1 << 16)) == nil)
    // 5.5.1: seq_profile (3), still_picture (1).
    #expect(SequenceHeader(payload: [payload[0] | 0x10] + payload.dropFirst())?.isPlain == false)
  }

  @Test func `bytes that contain no unit, or not exactly one, are rejected`() throws {
    let path = try AV1Clip.write(AV1Clip.svt, in: folder)
    let first = try #require(try AV1Clip.packets(of: path).first)
    for count in first.indices {
      let cut = Self.unit(Array(first[..<count]))
      #expect(cut == nil || cut?.shownFrames == 0)
    }
    #expect(Self.unit(first + first)?.shownFrames == nil)
    #expect(Self.unit(first + [0x12, 0]) == nil, "a delimiter that is not first")
    #expect(Self.unit(first + [0x42, 0]) == nil, "a list of tiles")
    #expect(Self.unit([0x92, 0]) == nil, "the forbidden bit")
    #expect(Self.unit([0x32] + [UInt8](repeating: 0xFF, count: 9)) == nil, "a size without an end")
    #expect(Self.unit([0x32, 0]) == nil, "a frame without a header")
    #expect(Self.unit([0x36, 0x08, 1, 0x10]) == nil, "a layer of another size")
  }

  /// The first bytes of frame headers, with the properties of their units.
  @Test(
    arguments: [
      ("a keyframe that shows", [0x10], 1, true), ("a keyframe that does not", [0x00], 0, false),
      ("an intra-only frame", [0x50], 1, false), ("a switch frame", [0x70], 1, false),
      ("an earlier frame, shown now", [0x80], 1, false),
      ("a keyframe, shown later than another frame", [0x00, 0x30], 1, false),
      ("a keyframe in second place", [0x20, 0x10], 1, false),
      ("a keyframe with a hidden frame after it", [0x10, 0x20], 1, true),
      ("two frames that show", [0x10, 0x30], 2, true),
    ] as [(String, [UInt8], Int, Bool)])
  func `only a keyframe that is shown at once resets the decoder`(
    _ name: String, _ headers: [UInt8], _ shown: Int, _ isReset: Bool
  ) throws {
    let unit = try #require(Self.unit([0x12, 0] + headers.flatMap { [0x32, 1, $0] }))
    #expect(unit.shownFrames == shown)
    #expect(unit.isReset == isReset)
  }

  @Test func `arbitrary bytes never cause an out-of-bounds read`() throws {
    let path = try AV1Clip.write(AV1Clip.aom, in: folder)
    let packets = try AV1Clip.packets(of: path).map { Array($0.prefix(96)) }
    var random = SeededRandom(seed: 1)
    var read = 0
    for _ in 0..<20_000 {
      var bytes = packets[Int.random(in: 0..<packets.count, using: &random)]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<min(bytes.count, 24), using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      // Memory of exactly this length, which a sanitizer guards.
      if let unit = Self.unit(bytes), unit.shownFrames > 0 { read += 1 }
    }
    #expect(read > 0)
  }
}
