import Media
import Support
import Testing
import Timeline

/// Encoders with the B-frames, references and look-ahead of their presets.
@Suite(.mayBlock) struct EncoderPresetTests {
  private static let size = PixelSize(width: 320, height: 180)

  private static func settings(
    _ codec: VideoSettings.Codec, _ preset: String, more: [String: String] = [:]
  ) throws -> VideoEncoderSettings {
    VideoEncoderSettings(
      codec: codec, size: size, frameDuration: try RationalTime(1, 30),
      rate: .quality(crf: 30), preset: preset, keyframeInterval: 24, more: more)
  }

  /// The packets of pictures that show their names, which change little from one to the next.
  private func packets(
    _ count: Int, _ settings: VideoEncoderSettings
  ) throws -> [(time: Int64?, decodingTime: Int64?, bytes: [UInt8])] {
    let encoder = try VideoEncoder(settings)
    let packet = try Packet()
    var packets: [(time: Int64?, decodingTime: Int64?, bytes: [UInt8])] = []
    func drain() throws {
      while try encoder.receive(into: packet) == .packet {
        packets.append(
          (packet.time, packet.decodingTime, packet.withUnsafeBytes { [UInt8]($0) }))
      }
    }
    for number in 0..<count {
      try encoder.send(
        try NamedPictures.picture(source: 1, frame: number / 3), number: Int64(number))
      try drain()
    }
    try encoder.send(nil)
    try drain()
    return packets
  }

  static let encoders: [(VideoSettings.Codec, String, [String: String])] = [
    (.h264, "medium", [:]), (.h264, "veryslow", [:]),
    (.h264, "medium", ["bframes": "16", "b-pyramid": "normal", "b-adapt": "2"]),
    (.h264, "medium", ["bframes": "1"]), (.h264, "medium", ["bframes": "0"]),
    (.hevc, "fast", [:]), (.hevc, "slow", [:]),
    (.hevc, "medium", ["bframes": "16", "b-pyramid": "1", "rc-lookahead": "30"]),
    (.hevc, "medium", ["bframes": "8", "b-pyramid": "0"]), (.hevc, "medium", ["bframes": "0"]),
    (.av1, "10", [:]), (.av1, "8", ["lookahead": "40"]), (.vp9, "4", [:]),
    (.vp9, "4", ["auto-alt-ref": "1", "lag-in-frames": "25"]),
  ]

  @Test(arguments: encoders, [1, 50])
  func `no presentation time precedes its decoding time, however the encoder reorders pictures`(
    encoder: (codec: VideoSettings.Codec, preset: String, more: [String: String]), count: Int
  ) throws {
    let packets = try packets(
      count, Self.settings(encoder.codec, encoder.preset, more: encoder.more))
    #expect(packets.compactMap(\.time).sorted() == (0..<count).map { Int64($0) })
    let decodingTimes = packets.compactMap(\.decodingTime)
    #expect(zip(decodingTimes, decodingTimes.dropFirst()).allSatisfy { $1 == $0 + 1 })
    for packet in packets {
      let (time, decodingTime) = (try #require(packet.time), try #require(packet.decodingTime))
      #expect(decodingTime <= time)
    }
  }

  @Test(arguments: [
    (VideoSettings.Codec.h264, "slower"), (.hevc, "slow"), (.av1, "8"), (.vp9, "4"),
  ])
  func `an encoder with the look-ahead of its preset yields the same bytes again`(
    codec: VideoSettings.Codec, preset: String
  ) throws {
    let settings = try Self.settings(codec, preset)
    #expect(try packets(50, settings).map(\.bytes) == packets(50, settings).map(\.bytes))
  }

  @Test(arguments: [
    (VideoSettings.Codec.h264, "veryslow"), (.hevc, "slow"), (.av1, "8"), (.vp9, "4"),
  ])
  func `the length of a chunk does not change its parameter sets`(
    codec: VideoSettings.Codec, preset: String
  ) throws {
    let sets = try [1, 50].map { count in
      let encoder = try VideoEncoder(try Self.settings(codec, preset))
      let packet = try Packet()
      for number in 0..<count {
        try encoder.send(
          try NamedPictures.picture(source: 1, frame: number), number: Int64(number))
        while try encoder.receive(into: packet) == .packet {}
      }
      try encoder.send(nil)
      while try encoder.receive(into: packet) == .packet {}
      return encoder.parameterSets
    }
    #expect(sets[0] == sets[1])
  }

  static let large: [(VideoSettings.Codec, String)] =
    ["ultrafast", "medium", "veryslow"].flatMap {
      [(VideoSettings.Codec.h264, $0), (VideoSettings.Codec.hevc, $0)]
    }

  @Test(arguments: large, [8, 10])
  func `presets open at 3840 × 2160`(
    encoder: (codec: VideoSettings.Codec, preset: String), bitDepth: Int
  ) throws {
    var settings = try Self.settings(encoder.codec, encoder.preset)
    settings.size = PixelSize(width: 3840, height: 2160)
    settings.bitDepth = bitDepth
    #expect(try !VideoEncoder(settings).parameterSets.isEmpty)
  }
}
