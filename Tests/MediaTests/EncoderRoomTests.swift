import Media
import Testing
import Timeline

/// What encoders are limited to, by the size of the pictures; what that takes is measured by `Benchmarks/memory`.
struct EncoderRoomTests {
  private func settings(
    _ codec: VideoSettings.Codec, _ width: Int, _ height: Int, preset: String, bitDepth: Int = 8,
    tune: String? = nil, more: [String: String] = [:], isCrowded: Bool = false
  ) throws -> VideoEncoderSettings {
    var settings = VideoEncoderSettings(
      codec: codec, size: PixelSize(width: width, height: height),
      frameDuration: try RationalTime(1, 30), preset: preset, tune: tune, bitDepth: bitDepth,
      more: more)
    settings.isCrowded = isCrowded
    return settings
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
    let tight = ["lookahead": "0", "hierarchical-levels": "2", "enable-tf": "0"]
    for (preset, bitDepth) in [("8", 10), ("7", 10), ("5", 8)] {
      #expect(
        try settings(.av1, 1920, 1080, preset: preset, bitDepth: bitDepth).limits == tight)
    }
  }

  @Test(arguments: [("5", 10, "6"), ("0", 10, "6"), ("6", 10, "6"), ("7", 10, "7"), ("0", 8, "2")])
  func `AV1's presets are no more thorough than fits`(
    preset: String, bitDepth: Int, fitting: String
  ) throws {
    let large = try settings(.av1, 1920, 1080, preset: preset, bitDepth: bitDepth)
    #expect(large.fittingPreset == fitting)
    #expect(large.limits["enable-restoration"] == (fitting == "6" ? "0" : nil))
    #expect(
      try settings(.av1, 1280, 720, preset: preset, bitDepth: bitDepth).fittingPreset == preset)
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

  /// What limits are beside decoders of 10 bits, and not otherwise.
  static let crowdedLimits: [(VideoSettings.Codec, String, Int, String, String?)] = [
    (.h264, "medium", 8, "rc-lookahead", "8"), (.h264, "medium", 10, "rc-lookahead", "2"),
    (.hevc, "medium", 8, "rc-lookahead", "3"), (.hevc, "medium", 10, "rc-lookahead", "0"),
    (.hevc, "medium", 10, "qcomp", "1"), (.av1, "8", 8, "pred-struct", nil),
    (.av1, "8", 8, "enable-mfmv", "0"), (.av1, "8", 10, "pred-struct", "1"),
  ]

  @Test(arguments: crowdedLimits) func `beside several decoders of 10 bits there is less room`(
    codec: VideoSettings.Codec, preset: String, bitDepth: Int, name: String, value: String?
  ) throws {
    let crowded = try settings(
      codec, 1920, 1080, preset: preset, bitDepth: bitDepth, isCrowded: true)
    #expect(crowded.limits[name] == value)
    let alone = try settings(codec, 1920, 1080, preset: preset, bitDepth: bitDepth)
    #expect(Set(alone.limits.keys).isSubset(of: crowded.limits.keys))
    #expect(
      try settings(codec, 1280, 720, preset: preset, isCrowded: true).limits
        == settings(codec, 1280, 720, preset: preset).limits)
  }

  @Test func `without a tree the rate factor of H.265 is the one that the tree's would be`() throws
  {
    func shift(
      _ crf: Double = 20, tune: String? = nil, more: [String: String] = [:], isCrowded: Bool = true
    ) throws -> Double {
      var settings = try settings(
        .hevc, 1920, 1080, preset: "medium", bitDepth: 10, tune: tune, more: more,
        isCrowded: isCrowded)
      settings.rate = .quality(crf: crf)
      return settings.crfShift
    }
    #expect(try shift() == 5.4)
    #expect(try shift(50) == 1)
    #expect(try shift(isCrowded: false) == 0)
    #expect(try shift(tune: "grain") == 0)
    for own in ["rc-lookahead", "bframes", "cutree", "qcomp"] {
      #expect(try shift(more: [own: "1"]) == 0, "\(own)")
    }
  }

  static let encoders: [(VideoSettings.Codec, String)] =
    ["ultrafast", "superfast", "medium", "placebo"].flatMap {
      [(VideoSettings.Codec.h264, $0), (VideoSettings.Codec.hevc, $0)]
    } + [(.av1, "8"), (.av1, "5"), (.vp9, "4")]

  @Test(arguments: encoders, [8, 10])
  func `encoders open with their limits, and the same parameter sets`(
    encoder: (codec: VideoSettings.Codec, preset: String), bitDepth: Int
  ) throws {
    let sets = try [false, true].map { isCrowded in
      try VideoEncoder(
        try settings(
          encoder.codec, 1920, 1080, preset: encoder.preset, bitDepth: bitDepth,
          isCrowded: isCrowded)
      ).parameterSets
    }
    // Chunks of both kinds are parts of one file.
    #expect(sets[0] == sets[1])
  }

  @Test(arguments: [nil, "psnr", "ssim", "grain", "zerolatency", "animation", "fastdecode"])
  func `no tune of H.265 makes other parameter sets beside several decoders`(tune: String?) throws {
    let sets = try [false, true].map { isCrowded in
      try VideoEncoder(
        try settings(
          .hevc, 1920, 1080, preset: "medium", bitDepth: 10, tune: tune, isCrowded: isCrowded)
      ).parameterSets
    }
    #expect(sets[0] == sets[1])
  }
}
