import Media
import Support
import Testing
import Timeline

/// The options that reach an encoder: the project's, and the short list in docs/project-file.md.
@Suite(.mayBlock) struct EncoderOptionsTests {
  private static let x264 = "repeat-headers=1:stitchable=1:cpu-independent=1:open-gop=0"
  private static let x265 =
    "pools=none:frame-threads=1:wpp=0:lookahead-slices=0:info=0:open-gop=0:repeat-headers=1"
    + ":log-level=0"
  private static let svtAV1 = "lp=1:pin=0:irefresh-type=2"

  private func settings(
    _ codec: VideoSettings.Codec, _ preset: String, bitDepth: Int = 8,
    size: PixelSize = PixelSize(width: 3840, height: 2160), tune: String? = nil,
    more: [String: String] = [:]
  ) throws -> VideoEncoderSettings {
    VideoEncoderSettings(
      codec: codec, size: size, frameDuration: try RationalTime(1, 30),
      rate: codec == .prores ? .profile : .quality(crf: 21), preset: preset, tune: tune,
      bitDepth: bitDepth, more: more)
  }

  /// The options of an encoder with the preset `preset`, `crf` 21 and nothing else.
  private func required(_ codec: VideoSettings.Codec, _ preset: String, bitDepth: Int)
    -> [String: String]
  {
    switch codec {
    case .h264:
      ["preset": preset, "crf": "21.0", "forced-idr": "1", "a53cc": "0", "x264-params": Self.x264]
    case .hevc:
      [
        "preset": preset, "crf": "21.0", "forced-idr": "1",
        "profile": bitDepth == 8 ? "main" : "main10", "x265-params": Self.x265,
      ]
    case .av1: ["preset": preset, "crf": "21", "svtav1-params": Self.svtAV1]
    case .vp9: ["deadline": "good", "cpu-used": preset, "row-mt": "0", "crf": "21"]
    case .prores: ["vendor": "apl0", "profile": "standard"]
    }
  }

  static let presets: [(VideoSettings.Codec, String)] =
    ["ultrafast", "medium", "placebo"].flatMap {
      [(VideoSettings.Codec.h264, $0), (VideoSettings.Codec.hevc, $0)]
    } + [(.av1, "13"), (.av1, "8"), (.av1, "0"), (.vp9, "8"), (.vp9, "0"), (.prores, "")]

  @Test(arguments: presets, [8, 10])
  func `an encoder gets its preset, its rate factor, and only what chunks and determinism require`(
    encoder: (codec: VideoSettings.Codec, preset: String), bitDepth: Int
  ) throws {
    let (codec, preset) = encoder
    for size in [PixelSize(width: 320, height: 180), PixelSize(width: 7680, height: 4320)] {
      let options = try settings(codec, preset, bitDepth: bitDepth, size: size).options
      #expect(options == required(codec, preset, bitDepth: bitDepth))
    }
  }

  static let projectOptions: [(VideoSettings.Codec, String, [String: String])] = [
    (.h264, "x264-params", ["ref": "16", "bframes": "16", "b-adapt": "2", "subme": "9"]),
    (.hevc, "x265-params", ["rc-lookahead": "60", "ref": "6", "bframes": "8", "b-pyramid": "1"]),
    (.av1, "svtav1-params", ["lookahead": "60", "hierarchical-levels": "5", "enable-tf": "1"]),
  ]

  @Test(arguments: projectOptions, [8, 10])
  func `what the project sets reaches the encoder's library unchanged, after the required options`(
    encoder: (codec: VideoSettings.Codec, library: String, options: [String: String]),
    bitDepth: Int
  ) throws {
    let (codec, library, more) = encoder
    let preset = codec == .av1 ? "8" : "medium"
    let options = try settings(codec, preset, bitDepth: bitDepth, more: more).options
    let given = more.sorted { $0.key < $1.key }.map { ":\($0.key)=\($0.value)" }.joined()
    let required = required(codec, preset, bitDepth: bitDepth)
    #expect(options[library] == required[library].map { $0 + given })
    var rest = options
    rest[library] = required[library]
    #expect(rest == required)
  }

  @Test func `what the project sets reaches libvpx unchanged`() throws {
    let options = try settings(.vp9, "4", more: ["lag-in-frames": "12", "auto-alt-ref": "1"])
      .options
    #expect(
      options
        == required(.vp9, "4", bitDepth: 8).merging(
          ["lag-in-frames": "12", "auto-alt-ref": "1"], uniquingKeysWith: { $1 }))
  }

  @Test func `a project cannot set what chunks and determinism require`() {
    let names = [Self.x264, Self.x265, Self.svtAV1].flatMap {
      $0.split(separator: ":").compactMap { $0.split(separator: "=").first.map(String.init) }
    }
    for name in names + ["forced-idr", "a53cc", "row-mt", "vendor"] {
      #expect(RefusedOption.reason(for: name) != nil, "\(name)")
    }
  }
}
