import Planning
import Support
import Testing
import Timeline

/// The estimate of an encoder's memory against what `Benchmarks/encoder-memory` measured on 2026-11-23.
@Suite(.mayBlock) struct EncoderMemoryTests {
  /// Codec, preset, bits, width, height, and the measured MiB.
  static let measured: [(VideoSettings.Codec, String, Int, Int, Int, Double)] = [
    (.h264, "ultrafast", 8, 1280, 720, 15),
    (.h264, "ultrafast", 8, 3840, 2160, 106),
    (.h264, "ultrafast", 10, 1280, 720, 25),
    (.h264, "ultrafast", 10, 3840, 2160, 191),
    (.h264, "superfast", 8, 1280, 720, 50),
    (.h264, "superfast", 10, 1280, 720, 86),
    (.h264, "veryfast", 8, 1280, 720, 72),
    (.h264, "veryfast", 8, 3840, 2160, 543),
    (.h264, "veryfast", 8, 7680, 4320, 2138),
    (.h264, "veryfast", 10, 1280, 720, 125),
    (.h264, "veryfast", 10, 3840, 2160, 1005),
    (.h264, "veryfast", 10, 7680, 4320, 3907),
    (.h264, "faster", 8, 1280, 720, 104),
    (.h264, "faster", 10, 1280, 720, 182),
    (.h264, "fast", 8, 1280, 720, 135),
    (.h264, "fast", 10, 1280, 720, 237),
    (.h264, "medium", 8, 1280, 720, 168),
    (.h264, "medium", 8, 1920, 1080, 352),
    (.h264, "medium", 8, 3840, 2160, 1288),
    (.h264, "medium", 8, 7680, 4320, 5093),
    (.h264, "medium", 10, 1280, 720, 293),
    (.h264, "medium", 10, 1920, 1080, 635),
    (.h264, "medium", 10, 3840, 2160, 2388),
    (.h264, "medium", 10, 7680, 4320, 9240),
    (.h264, "slow", 8, 1280, 720, 204),
    (.h264, "slow", 10, 1280, 720, 358),
    (.h264, "slower", 8, 1280, 720, 254),
    (.h264, "slower", 10, 1280, 720, 446),
    (.h264, "veryslow", 8, 1280, 720, 352),
    (.h264, "veryslow", 10, 1280, 720, 557),
    (.h264, "placebo", 8, 1280, 720, 576),
    (.h264, "placebo", 10, 1280, 720, 780),
    (.hevc, "ultrafast", 8, 1280, 720, 113),
    (.hevc, "ultrafast", 10, 1280, 720, 169),
    (.hevc, "superfast", 8, 1280, 720, 133),
    (.hevc, "superfast", 10, 1280, 720, 204),
    (.hevc, "veryfast", 8, 1280, 720, 169),
    (.hevc, "veryfast", 10, 1280, 720, 271),
    (.hevc, "faster", 8, 1280, 720, 169),
    (.hevc, "faster", 10, 1280, 720, 272),
    (.hevc, "fast", 8, 1280, 720, 169),
    (.hevc, "fast", 8, 3840, 2160, 1113),
    (.hevc, "fast", 8, 7680, 4320, 4134),
    (.hevc, "fast", 10, 1280, 720, 271),
    (.hevc, "fast", 10, 3840, 2160, 1823),
    (.hevc, "medium", 8, 1280, 720, 191),
    (.hevc, "medium", 8, 3840, 2160, 1308),
    (.hevc, "medium", 8, 7680, 4320, 4897),
    (.hevc, "medium", 10, 1280, 720, 311),
    (.hevc, "medium", 10, 1920, 1080, 611),
    (.hevc, "medium", 10, 3840, 2160, 2132),
    (.hevc, "slow", 8, 1280, 720, 211),
    (.hevc, "slow", 10, 1280, 720, 347),
    (.hevc, "slower", 8, 1280, 720, 330),
    (.av1, "12", 8, 1280, 720, 147),
    (.av1, "12", 10, 1280, 720, 210),
    (.av1, "10", 8, 1280, 720, 170),
    (.av1, "10", 8, 1920, 1080, 340),
    (.av1, "10", 8, 3840, 2160, 811),
    (.av1, "10", 8, 7680, 4320, 3004),
    (.av1, "10", 10, 1280, 720, 234),
    (.av1, "10", 10, 3840, 2160, 1209),
    (.av1, "8", 8, 1280, 720, 174),
    (.av1, "8", 8, 1920, 1080, 351),
    (.av1, "8", 8, 3840, 2160, 838),
    (.av1, "8", 10, 1280, 720, 272),
    (.av1, "8", 10, 1920, 1080, 548),
    (.av1, "8", 10, 3840, 2160, 1496),
    (.av1, "7", 8, 1280, 720, 185),
    (.av1, "7", 10, 1280, 720, 287),
    (.av1, "6", 8, 1280, 720, 187),
    (.av1, "6", 10, 1280, 720, 289),
    (.av1, "5", 8, 1280, 720, 219),
    (.av1, "5", 8, 1920, 1080, 433),
    (.av1, "5", 10, 1280, 720, 339),
    (.av1, "5", 10, 1920, 1080, 676),
    (.av1, "4", 8, 1280, 720, 232),
    (.av1, "4", 10, 1280, 720, 353),
    (.av1, "3", 8, 1280, 720, 231),
    (.av1, "2", 8, 1280, 720, 253),
    (.vp9, "8", 8, 1280, 720, 139),
    (.vp9, "8", 8, 1920, 1080, 275),
    (.vp9, "8", 8, 3840, 2160, 960),
    (.vp9, "8", 8, 7680, 4320, 3555),
    (.vp9, "8", 10, 1280, 720, 222),
    (.vp9, "8", 10, 1920, 1080, 431),
    (.vp9, "8", 10, 3840, 2160, 1473),
    (.vp9, "5", 8, 1280, 720, 139),
    (.vp9, "5", 10, 1280, 720, 223),
    (.vp9, "4", 8, 1280, 720, 139),
    (.vp9, "4", 10, 1280, 720, 223),
    (.vp9, "2", 8, 1280, 720, 139),
    (.vp9, "2", 10, 1280, 720, 223),
    (.prores, "", 10, 1280, 720, 1),
    (.prores, "", 10, 1920, 1080, 1),
    (.prores, "", 10, 3840, 2160, 4),
    (.prores, "", 10, 7680, 4320, 13),
  ]

  private static func estimate(_ row: (VideoSettings.Codec, String, Int, Int, Int, Double))
    -> Double
  {
    let (codec, preset, bitDepth, width, height, _) = row
    let video = VideoSettings(codec: codec, encoderPreset: preset.isEmpty ? nil : preset)
    let memory = EncoderMemory(
      video, size: PixelSize(width: width, height: height), bitDepth: bitDepth, frameCount: 150)
    return memory.bytes / 1_048_576
  }

  @Test func `no encoder takes more than is estimated`() {
    for row in Self.measured {
      #expect(row.5 <= Self.estimate(row), "\(row)")
    }
  }

  @Test func `the estimate is at most a third more than what an encoder takes`() {
    // The packets of ProRes depend on the pictures, and are much smaller in the measurement than they can be.
    for row in Self.measured where row.0 != .prores {
      #expect(Self.estimate(row) <= row.5 * 4 / 3 + 8, "\(row)")
    }
  }

  /// Codec, option, value, and the measured MiB at 1280×720 with 8 bits and the preset `medium`.
  static let options: [(VideoSettings.Codec, String, String, Double)] = [
    (.h264, "rc-lookahead", "80", 292), (.h264, "ref", "16", 231), (.h264, "bframes", "16", 294),
    (.h264, "me", "esa", 179), (.hevc, "rc-lookahead", "60", 348), (.hevc, "ref", "6", 214),
    (.hevc, "bframes", "12", 274), (.hevc, "me", "sea", 570),
  ]

  @Test(arguments: options) func `options that hold more pictures are estimated`(
    codec: VideoSettings.Codec, name: String, value: String, measured: Double
  ) {
    let video = VideoSettings(codec: codec, encoderPreset: "medium", options: [name: value])
    let memory = EncoderMemory(
      video, size: PixelSize(width: 1280, height: 720), bitDepth: 8, frameCount: 150)
    let estimate = memory.bytes / 1_048_576
    #expect((measured...measured * 4 / 3).contains(estimate))
  }

  @Test func `an option value that cannot be parsed is estimated as the largest`() {
    func bytes(_ options: [String: String]) -> Double {
      EncoderMemory(
        VideoSettings(codec: .h264, encoderPreset: "medium", options: options),
        size: PixelSize(width: 1280, height: 720), bitDepth: 8, frameCount: 300
      ).bytes
    }
    #expect(bytes(["rc-lookahead": "0xfa"]) == bytes(["rc-lookahead": "250"]))
    #expect(bytes(["rc-lookahead": "250"]) > bytes(["rc-lookahead": "100"]))
  }
}
