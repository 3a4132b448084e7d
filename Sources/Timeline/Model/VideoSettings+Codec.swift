/// The options of each codec's encoder, by the encoder's own names.
extension VideoSettings.Codec {
  /// The quality of a preset.
  public enum Quality: Hashable, Sendable {
    /// Small files.
    case low
    /// In between.
    case medium
    /// Hardly distinguishable from the source.
    case high
  }

  /// The encoder's name.
  public var encoderName: String {
    switch self {
    case .h264: "libx264"
    case .hevc: "libx265"
    case .av1: "libsvtav1"
    case .vp9: "libvpx-vp9"
    case .prores: "prores_ks"
    }
  }

  /// The range of CRF that the encoder accepts, from best to worst; `nil` for ProRes, which has none.
  public var crfRange: ClosedRange<Double>? {
    switch self {
    case .h264, .hevc: 0...51
    case .av1: 1...63
    case .vp9: 0...63
    case .prores: nil
    }
  }

  /// Whether the encoder accepts only whole numbers as CRF.
  public var takesWholeCRF: Bool { self == .av1 || self == .vp9 }

  /// The default CRF for a quality.
  public func crf(for quality: Quality) -> Double? {
    switch (self, quality) {
    case (.h264, .low): 28
    case (.h264, .medium): 24
    case (.h264, .high): 20
    case (.hevc, .low): 30
    case (.hevc, .medium): 26
    case (.hevc, .high): 22
    case (.av1, .low), (.vp9, .low): 44
    case (.av1, .medium), (.vp9, .medium): 36
    case (.av1, .high), (.vp9, .high): 28
    case (.prores, _): nil
    }
  }

  /// The bit rates that the encoder accepts, in bits per second; `nil` for ProRes, whose profiles determine them.
  public var bitRates: ClosedRange<Int>? {
    switch self {
    case .h264, .hevc, .vp9: 10_000...960_000_000
    case .av1: 10_000...100_000_000
    case .prores: nil
    }
  }

  /// The encoder's presets, fastest first; empty for ProRes.
  public var encoderPresets: [String] {
    switch self {
    case .h264, .hevc: VideoSettings.encoderPresets
    case .av1: (0...13).reversed().map(String.init)
    case .vp9: (0...8).reversed().map(String.init)
    case .prores: []
    }
  }

  /// The default encoder preset.
  public var usualEncoderPreset: String? {
    switch self {
    case .h264, .hevc: "medium"
    case .av1: "8"
    case .vp9: "4"
    case .prores: nil
    }
  }

  /// The profiles for a number of bits per sample.
  public func profiles(bitDepth: Int) -> [String] {
    switch (self, bitDepth) {
    case (.h264, 8): ["baseline", "main", "high"]
    case (.h264, _): ["high10"]
    case (.hevc, 8): ["main"]
    case (.hevc, _): ["main10"]
    case (.av1, _): ["main"]
    case (.vp9, 8): ["0"]
    case (.vp9, _): ["2"]
    case (.prores, _): ["proxy", "lt", "standard", "hq", "4444", "4444xq"]
    }
  }

  /// The levels; empty for ProRes.
  public var levels: [String] {
    switch self {
    case .h264:
      [
        "1", "1b", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "3", "3.1", "3.2", "4", "4.1", "4.2",
        "5", "5.1", "5.2", "6", "6.1", "6.2",
      ]
    case .hevc:
      ["1", "2", "2.1", "3", "3.1", "4", "4.1", "5", "5.1", "5.2", "6", "6.1", "6.2"]
    case .av1: (2...6).flatMap { major in (0...3).map { "\(major).\($0)" } }
    case .vp9:
      ["1", "1.1", "2", "2.1", "3", "3.1", "4", "4.1", "5", "5.1", "5.2", "6", "6.1", "6.2"]
    case .prores: []
    }
  }

  /// The tunings; empty for ProRes, and for AV1, whose `tune` is one of the encoder options.
  public var tunes: [String] {
    switch self {
    case .h264:
      [
        "film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency",
      ]
    case .hevc: ["psnr", "ssim", "grain", "fastdecode", "zerolatency", "animation"]
    case .vp9: ["psnr", "ssim"]
    case .av1, .prores: []
    }
  }

  /// The supported numbers of bits per sample.
  public var bitDepths: [Int] { self == .prores ? [10] : [8, 10] }
}

extension VideoSettings {
  /// The presets of libx264 and libx265, fastest first.
  public static let encoderPresets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower",
    "veryslow", "placebo",
  ]
}
