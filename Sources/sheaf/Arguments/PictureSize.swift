import Arguments
import Timeline

/// Usual names of sizes of pictures, such as `1080p`, `4k` and `uhd`.
package enum PictureSize {
  /// The height that a name stands for.
  private static let heights = [
    "360p": 360, "480p": 480, "540p": 540, "720p": 720, "hd": 720, "1080p": 1080, "fhd": 1080,
    "fullhd": 1080, "1440p": 1440, "qhd": 1440, "2160p": 2160, "4k": 2160, "uhd": 2160,
    "4320p": 4320, "8k": 4320,
  ]

  /// The size in 16:9 that a name stands for; 480p is 854 pixels wide.
  package static func named(_ name: String) -> PixelSize? {
    heights[name.lowercased()].map { PixelSize(width: ($0 * 16 / 9 + 1) / 2 * 2, height: $0) }
  }

  /// The name of the export preset with a size that a name stands for.
  static func preset(_ name: String) -> ExportPreset? {
    guard let size = named(name) else { return nil }
    return ExportPreset.all.first { $0.bounds == size && $0.name.first?.isNumber == true }
  }
}

extension PixelSize: ArgumentValue {
  package static let expectation = "a width and a height such as 1920x1080, or 720p, 1080p or 4k"

  package init?(argument: String) {
    if let named = PictureSize.named(argument) {
      self = named
      return
    }
    let sides = argument.lowercased().split(omittingEmptySubsequences: false) {
      $0 == "x" || $0 == "×"
    }
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else {
      return nil
    }
    self.init(width: width, height: height)
  }
}

extension Option<ExportPreset> {
  /// The export preset, by its name or by a name of its size such as `1080p`.
  static func preset(help: String) -> Option {
    let names = ExportPreset.all.map(\.name)
    return Option(
      "preset", value: "NAME", kind: .choice(names),
      expecting: "one of \(names.joined(separator: ", ")), or 720p, 1080p or 4k", help: help
    ) { text in
      ExportPreset.named(text) ?? PictureSize.preset(text)
        ?? ExportPreset.all.first { $0.name.lowercased() == text.lowercased() }
    }
  }
}

extension Option<VideoSettings.Codec> {
  /// Names of codecs that other tools use.
  static let synonyms: [String: VideoSettings.Codec] = [
    "h.264": .h264, "avc": .h264, "avc1": .h264, "x264": .h264, "libx264": .h264,
    "h265": .hevc, "h.265": .hevc, "x265": .hevc, "libx265": .hevc, "hvc1": .hevc,
    "svtav1": .av1, "svt-av1": .av1, "libsvtav1": .av1, "libvpx-vp9": .vp9,
    "prores_ks": .prores,
  ]
}
