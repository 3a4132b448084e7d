import Media
import Testing
import Timeline

/// What encoders are limited to, by the size of the pictures; what that takes is measured by `Benchmarks/memory`.
struct EncoderRoomTests {
  private func settings(
    _ codec: VideoSettings.Codec, _ width: Int, _ height: Int, preset: String, bitDepth: Int = 8,
    tune: String? = nil, more: [String: String] = [:]
  ) throws -> VideoEncoderSettings {
    VideoEncoderSettings(
      codec: codec, size: PixelSize(width: width, height: height),
      frameDuration: try RationalTime(1, 30), preset: preset, tune: tune, bitDepth: bitDepth,
      more: more)
  }

  @Test func `small pictures are encoded as the preset says`() throws {
    #expect(
      try settings(.h264, 640, 360, preset: "medium").limits == ["rc-lookahead": "40"])
    #expect(try settings(.hevc, 640, 360, preset: "veryslow").limits == ["rc-lookahead": "60"])
    #expect(try settings(.av1, 1280, 720, preset: "4").limits.isEmpty)
    #expect(try settings(.vp9, 640, 360, preset: "4").limits == ["lag-in-frames": "25"])
  }

  @Test func `large pictures of H.264 lose what the preset has more of than fits`() throws {
    #expect(try settings(.h264, 1920, 1080, preset: "medium").limits == ["rc-lookahead": "12"])
    #expect(try settings(.h264, 1920, 1080, preset: "veryfast").limits == ["rc-lookahead": "10"])
    #expect(
      try settings(.h264, 1920, 1080, preset: "veryslow").limits
        == ["rc-lookahead": "12", "ref": "5", "bframes": "3"])
  }

  @Test func `AV1 filters over time where there is room for the pictures`() throws {
    #expect(try settings(.av1, 1920, 1080, preset: "8").limits["enable-tf"] == nil)
    for (preset, bitDepth) in [("8", 10), ("5", 8), ("5", 10)] {
      #expect(
        try settings(.av1, 1920, 1080, preset: preset, bitDepth: bitDepth).limits
          == ["lookahead": "0", "hierarchical-levels": "2", "enable-tf": "0"])
    }
  }

  @Test func `larger pictures than 1080p are encoded as those`() throws {
    for codec in [VideoSettings.Codec.h264, .hevc, .av1, .vp9] {
      let preset = codec == .av1 || codec == .vp9 ? "4" : "slower"
      for bitDepth in [8, 10] {
        let sizes = try [(1920, 1080), (1080, 1920), (3840, 2160)].map {
          try settings(codec, $0.0, $0.1, preset: preset, bitDepth: bitDepth).limits
        }
        #expect(Set(sizes).count == 1)
      }
    }
  }

  @Test func `no limit is more than the preset has`() throws {
    for preset in ["ultrafast", "superfast", "veryfast"] {
      #expect(
        try settings(.h264, 1920, 1080, preset: preset, tune: "animation").limits["ref"] == nil)
    }
    let lowDelay = try settings(.h264, 1920, 1080, preset: "veryslow", tune: "zerolatency").limits
    #expect(lowDelay["bframes"] == nil)
  }

  @Test(arguments: ["bframes", "bf"])
  func `what the project sets itself is left to it`(name: String) throws {
    let limits = try settings(
      .hevc, 1920, 1080, preset: "medium", more: [name: "6", "ref": "4"]
    ).limits
    #expect(limits["bframes"] == nil)
    #expect(limits["ref"] == nil)
    #expect(limits["rc-lookahead"] == "7")
  }

  static let encoders: [(VideoSettings.Codec, String)] =
    ["ultrafast", "medium", "placebo"].flatMap {
      [(VideoSettings.Codec.h264, $0), (VideoSettings.Codec.hevc, $0)]
    } + [(.av1, "13"), (.av1, "8"), (.av1, "5"), (.vp9, "4")]

  @Test(arguments: encoders, [8, 10])
  func `encoders open with their limits`(
    encoder: (codec: VideoSettings.Codec, preset: String), bitDepth: Int
  ) throws {
    _ = try VideoEncoder(
      try settings(encoder.codec, 1920, 1080, preset: encoder.preset, bitDepth: bitDepth))
  }
}
