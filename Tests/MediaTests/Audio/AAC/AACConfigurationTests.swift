import Foundation
import Media
import Support
import Testing
import Timeline

/// The configuration of AAC in an `AudioSpecificConfig` and in ADTS headers (ISO/IEC 14496-3, 1.6.2.1 and 1.A.2.2).
@Suite(.mayBlock) struct AACConfigurationTests {
  @Test(arguments: [
    (8000, 1), (11_025, 2), (16_000, 2), (22_050, 1), (24_000, 2), (32_000, 6), (44_100, 2),
    (48_000, 6), (96_000, 2),
  ])
  func `rates and channels are those of the encoder`(rate: Int, channels: Int) throws {
    let encoder = try AudioEncoder(AudioEncoder.Settings(sampleRate: rate, channels: channels))
    let bytes = encoder.parameters.parameterSets
    let configuration = try #require(AACConfiguration(bytes))
    #expect(configuration.sampleRate == rate && configuration.channels == channels)
    for length in bytes.indices {
      let beginning = AACConfiguration(Array(bytes.prefix(length)))
      #expect(beginning == nil || beginning == configuration)
      #expect(length >= 2 || beginning == nil)
    }
  }

  @Test func `other kinds of AAC are not supported`() throws {
    // Low complexity, 44.1 kHz, two channels.
    let stereo: [UInt8] = [0x12, 0x10]
    #expect(AACConfiguration(stereo)?.channels == 2)
    // Spectral band replication: not present, and present.
    #expect(AACConfiguration(stereo + [0x56, 0xE5, 0x00]) != nil)
    #expect(AACConfiguration(stereo + [0x56, 0xE5, 0x80]) == nil)
    // Frames of 960 samples, a core coder, and an extension.
    for flag: UInt8 in [4, 2, 1] { #expect(AACConfiguration([0x12, 0x10 | flag]) == nil) }
    // The main profile, long-term prediction, and spectral band replication.
    for type: UInt8 in [1, 4, 5] { #expect(AACConfiguration([type << 3 | 2, 0x10]) == nil) }
    // Channels in a program element, and 7.1; a reserved rate, and one that is stated in full.
    for channels: UInt8 in [0, 7] { #expect(AACConfiguration([0x12, channels << 3]) == nil) }
    for rate: UInt8 in [13, 15] {
      #expect(AACConfiguration([2 << 3 | rate >> 1, rate << 7 | 2 << 3]) == nil)
    }
  }

  /// An ADTS header and a frame, at 48 kHz.
  private func packet(_ frame: [UInt8], channels: Int, hasChecksum: Bool) -> [UInt8] {
    var writer = BitWriter()
    let length = frame.count + (hasChecksum ? 9 : 7)
    // The sync word, MPEG-4, layer, and whether there is no checksum.
    writer.append(0xFFF << 4 | (hasChecksum ? 0 : 1), bits: 16)
    // Low complexity, 48 kHz, and the channels.
    writer.append(1 << 5 | 3 << 1, bits: 7)
    writer.append(channels, bits: 3)
    writer.append(0, bits: 4)
    writer.append(length, bits: 13)
    // A variable rate, and one frame.
    writer.append(0x7FF << 2, bits: 13)
    if hasChecksum { writer.append(0xC0DE, bits: 16) }
    return writer.bytes + frame
  }

  @Test(arguments: [false, true], [1, 2])
  func `frames are found behind ADTS headers with and without checksum`(
    hasChecksum: Bool, channels: Int
  ) throws {
    let encoder = try AudioEncoder(AudioEncoder.Settings(channels: channels))
    var frames: [[UInt8]] = []
    let tone = (0..<30 * 1024).map { 0.5 * sin(Float($0) * 0.05) }
    let keep = { (packet: Packet) in frames.append(packet.withUnsafeBytes { Array($0) }) }
    try encoder.encode(Array(repeating: tone, count: channels), keep)
    try encoder.finish(keep)
    let folder = try TemporaryDirectory()
    let path = folder.path("sound.aac")
    let packets = frames.map { packet($0, channels: channels, hasChecksum: hasChecksum) }
    try Data(packets.joined()).write(to: URL(fileURLWithPath: path))
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: path)
    let sound = try SoundPackets(
      source: source, named: path, stream: try #require(index.audio.first), origin: index.start,
      from: 0)
    var found: [[UInt8]] = []
    while case .packet = try sound.next() {
      let frame = try #require(sound.aacFrame())
      #expect(frame.configuration.sampleRate == 48_000)
      #expect(frame.configuration.channels == channels)
      found.append(frame.bytes)
    }
    #expect(found == frames)
  }
}
