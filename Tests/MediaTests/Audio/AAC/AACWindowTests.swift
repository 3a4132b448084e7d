import Foundation
import Media
import Support
import Testing
import Timeline

/// The first window in frames of AAC (ISO/IEC 14496-3, 4.4.2.1 and 4.4.2.7).
@Suite(.mayBlock) struct AACWindowTests {
  /// The first part of a frame of one channel that is heard: its element, tag and gain, and its window.
  private static func frame(sequence: Int, isKaiserBessel: Bool, isPair: Bool) -> BitWriter {
    var writer = BitWriter()
    // A pair of channels that share their window, or one channel.
    writer.append(isPair ? 1 : 0, bits: 3)
    writer.append(0, bits: 4)
    if isPair { writer.append(1, bits: 1) } else { writer.append(100, bits: 8) }
    writer.append(0, bits: 1)
    writer.append(sequence, bits: 2)
    writer.append(isKaiserBessel ? 1 : 0, bits: 1)
    writer.append(0x2A5A, bits: 14)
    return writer
  }

  /// An element that may come before the first channel.
  enum Element: Sendable {
    /// Bytes of data (DSE), which may begin at a whole byte.
    case data(Int, isAligned: Bool)
    /// Bytes that fill the frame (FIL).
    case filler(Int)
  }

  /// Elements that may come before the first channel.
  private static func elements(_ elements: [Element]) -> BitWriter {
    var writer = BitWriter()
    for element in elements {
      let count: Int
      switch element {
      case .data(let bytes, let isAligned):
        count = bytes
        writer.append(4, bits: 3)
        writer.append(0, bits: 4)
        writer.append(isAligned ? 1 : 0, bits: 1)
        writer.append(min(count, 255), bits: 8)
        if count >= 255 { writer.append(count - 255, bits: 8) }
        if isAligned { writer.append(0, bits: (8 - writer.count % 8) % 8) }
      case .filler(let bytes):
        count = bytes
        writer.append(6, bits: 3)
        writer.append(min(count, 15), bits: 4)
        if count >= 15 { writer.append(count - 14, bits: 8) }
      }
      for _ in 0..<count { writer.append(0xB5, bits: 8) }
    }
    return writer
  }

  /// Packets of a second of short bursts of noise, from libav's encoder.
  private static func encoded(channels: Int) throws -> [[UInt8]] {
    var random = SeededRandom(seed: 5)
    let noise = (0..<48_000).map { place in
      place % 12_000 < 300 ? Float.random(in: -0.8...0.8, using: &random) : 0
    }
    let encoder = try AudioEncoder(AudioEncoder.Settings(channels: channels))
    var packets: [[UInt8]] = []
    let keep = { (packet: Packet) in packets.append(packet.withUnsafeBytes { Array($0) }) }
    try encoder.encode(Array(repeating: noise, count: channels), keep)
    try encoder.finish(keep)
    return packets
  }

  @Test(arguments: [false, true], [false, true])
  func `sequences and shapes of windows are read`(isKaiserBessel: Bool, isPair: Bool) throws {
    for (number, sequence) in [
      AACWindow.Sequence.onlyLong, .longStart, .eightShort, .longStop,
    ].enumerated() {
      let frame = Self.frame(sequence: number, isKaiserBessel: isKaiserBessel, isPair: isPair)
      let window = try #require(AACWindow(frame.bytes))
      #expect(window.sequence == sequence)
      #expect(window.isKaiserBessel == isKaiserBessel)
      #expect(window.isOnly)
      #expect(window.beginsLong == [true, true, false, false][number])
      #expect(window.endsLong == [true, false, false, true][number])
      // Only the shape differs, in one bit.
      let reshaped = window.reshaped(frame.bytes)
      let other = Self.frame(sequence: number, isKaiserBessel: !isKaiserBessel, isPair: isPair)
      #expect(reshaped == other.bytes)
    }
  }

  @Test func `two channels with their own windows do not share the first one`() throws {
    var writer = BitWriter()
    writer.append(1, bits: 3)
    writer.append(0, bits: 5)
    writer.append(100, bits: 8)
    writer.append(0b0001, bits: 4)
    let window = try #require(AACWindow(writer.bytes))
    #expect(!window.isOnly && window.isKaiserBessel && window.sequence == .onlyLong)
  }

  @Test(
    arguments: [
      [.data(0, isAligned: false)], [.data(3, isAligned: false)], [.data(3, isAligned: true)],
      [.data(254, isAligned: true)], [.data(255, isAligned: true)], [.data(300, isAligned: false)],
      [.filler(0)], [.filler(1)], [.filler(14)], [.filler(15)], [.filler(16)], [.filler(269)],
      [.filler(2), .data(5, isAligned: true), .filler(20)],
    ] as [[Element]])
  func `data and fillers before the first channel are skipped`(elements: [Element]) throws {
    for isKaiserBessel in [false, true] {
      let channel = Self.frame(sequence: 3, isKaiserBessel: isKaiserBessel, isPair: true)
      var frame = Self.elements(elements)
      frame.append(channel.bytes, 0..<channel.count)
      let window = try #require(AACWindow(frame.bytes))
      #expect(window.sequence == .longStop && window.isKaiserBessel == isKaiserBessel)
      var reshaped = Self.elements(elements)
      let other = Self.frame(sequence: 3, isKaiserBessel: !isKaiserBessel, isPair: true)
      reshaped.append(other.bytes, 0..<other.count)
      #expect(window.reshaped(frame.bytes) == reshaped.bytes)
      for length in frame.bytes.indices {
        let beginning = AACWindow(Array(frame.bytes.prefix(length)))
        #expect(beginning == nil || beginning == window, "\(length) bytes")
      }
    }
  }

  @Test(arguments: [1, 2, 6])
  func `the beginning of a real frame has its window, or none`(channels: Int) throws {
    let packets = try Self.encoded(channels: channels)
    #expect(packets.count > 40)
    var sequences: Set<AACWindow.Sequence> = []
    for packet in packets {
      let window = try #require(AACWindow(packet))
      sequences.insert(window.sequence)
      // libav's encoder uses no other shape.
      #expect(window.isKaiserBessel || !window.endsLong)
      #expect(window.reshaped(window.reshaped(packet)) == packet)
      for length in packet.indices.prefix(80) {
        let beginning = AACWindow(Array(packet.prefix(length)))
        #expect(beginning == nil || beginning == window, "\(length) bytes")
      }
    }
    #expect(sequences.contains(.onlyLong) && sequences.contains(.eightShort))
  }

  @Test func `a frame that begins with something else has no window`() {
    // A coupling channel, a low-frequency channel, a program, and the end.
    for element: UInt8 in [2, 3, 5, 7] {
      #expect(AACWindow([element << 5, 0x12, 0x34, 0x56, 0x78]) == nil)
    }
    #expect(AACWindow([]) == nil)
  }
}
