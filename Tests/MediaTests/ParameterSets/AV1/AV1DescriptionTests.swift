import Foundation
import Media
import Support
import Testing
import Timeline

/// The description of AV1 in a file whose packets come from several encoders, and the packets rewritten for it.
@Suite(.mayBlock) struct AV1DescriptionTests {
  private let folder: TemporaryDirectory
  private let path: String
  /// The record that libavformat wrote for the clip's only header.
  private let declared: [UInt8]
  private let header: SequenceHeader

  init() throws {
    folder = try TemporaryDirectory()
    path = try AV1Clip.write(AV1Clip.aom, in: folder)
    declared = try Demuxer(source: try FileByteSource(path: path), named: path)
      .streams[0].parameters.parameterSets
    let first = try #require(try AV1Clip.packets(of: path).first)
    header = try #require(first.withUnsafeBytes { TemporalUnit($0) }?.sequenceHeader)
  }

  private func record(_ sets: [[UInt8]]) throws -> [UInt8] {
    try SampleDescription(sets, codec: .av1, pixelFormat: "yuv420p").record
  }

  /// The header with another level, whose number follows 24 bits.
  private func header(level: UInt8) throws -> [UInt8] {
    var payload = Array(header.bytes.dropFirst(2))
    payload[3] = payload[3] & 7 | level << 3
    let other = try #require(SequenceHeader(payload: payload))
    #expect(other.level == Int(level))
    return other.bytes
  }

  @Test func `one header is declared as libavformat declares it`() throws {
    #expect(try record([header.bytes]) == declared)
    #expect(try record([declared]) == declared)
    #expect(try SampleDescription([declared], codec: .av1, pixelFormat: "").isComplete)
  }

  @Test func `a record for several headers states the highest level and contains no header`()
    throws
  {
    let sets = [header.bytes, try header(level: 5), try header(level: 4)]
    let description = try SampleDescription(sets, codec: .av1, pixelFormat: "yuv420p")
    #expect(description.record == [0x81, 5, declared[2], 0])
    #expect(!description.isComplete)
    let parameters = try Demuxer(source: try FileByteSource(path: path), named: path)
      .streams[0].parameters
    for (set, isKnown) in [(sets[1], true), (try header(level: 1), false), ([], false)] {
      try parameters.setParameterSets(set)
      #expect(description.holds(parameters) == isKnown)
    }
  }

  @Test func `bytes without a header yield no description`() throws {
    let records: [[UInt8]] = [
      [], [0x81, 0, 0, 0], [0x82] + declared.dropFirst(), [0x81], [0xFF],
    ]
    for record in records {
      #expect(throws: MediaError.self) { try self.record([record]) }
    }
    for count in 0..<declared.count {
      #expect(throws: MediaError.self) { try self.record([Array(declared[..<count])]) }
    }
    var random = SeededRandom(seed: 1)
    var read = 0
    for _ in 0..<5_000 {
      var bytes = declared
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      if (try? record([bytes])) != nil { read += 1 }
    }
    #expect(read > 0)
  }

  /// Metadata about the content's light level, and about the mastering display.
  private static let light: [UInt8] = [0x2A, 6, 1, 0x03, 0xE8, 0x01, 0x90, 0x80]
  private static let display: [UInt8] = [0x2A, 26, 2] + [UInt8](repeating: 7, count: 24) + [0x80]

  @Test func `keyframes carry the declared units once, and packets have no delimiters or padding`()
    throws
  {
    let packets = try AV1Clip.packets(of: path)
    let parameters = try Demuxer(source: try FileByteSource(path: path), named: path)
      .streams[0].parameters
    try parameters.setParameterSets(declared + Self.light + Self.display)
    let frames = Array(packets[0].dropFirst(header.bytes.count))
    func rewritten(_ bytes: [UInt8]) throws -> Packet {
      var rewriter = try PacketRewriter(
        parameters, from: try Packet(bytes: packets[0]), named: "clip")
      #expect(rewriter.parameterSets == header.bytes && rewriter.record == declared)
      return try rewriter.rewrite(try Packet(bytes: bytes))
    }
    func bytes(_ packet: Packet) -> [UInt8] { packet.withUnsafeBytes { Array($0) } }
    let all = header.bytes + Self.light + Self.display + frames
    let bare = try rewritten([0x12, 0] + frames + [0x7A, 2, 0, 0x80])
    #expect(bytes(bare) == all && bare.isKey)
    let full = try rewritten([0x12, 0] + header.bytes + Self.light + Self.display + frames)
    #expect(bytes(full) == all && full.isKey)
    // The metadata in band takes precedence.
    var other = Self.light
    other[3] = 1
    #expect(
      bytes(try rewritten(header.bytes + other + frames))
        == header.bytes + Self.display + other + frames)
    let later = try rewritten([0x12, 0] + packets[1])
    #expect(bytes(later) == packets[1] && !later.isKey)
    #expect(throws: MediaError.self) { try rewritten(Array(frames.dropLast())) }
  }
}
