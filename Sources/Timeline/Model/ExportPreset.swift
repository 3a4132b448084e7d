/// A named quality: the largest size of the output, its codecs, and how strongly it is compressed.
///
/// The names are those of AVFoundation's export presets, without `AVAssetExportPreset`.
public struct ExportPreset: Hashable, Sendable {
  /// The name in the project file.
  public let name: String
  /// The size that the output keeps within, landscape; turned for portrait output. `nil` bounds nothing.
  public let bounds: PixelSize?
  /// How good the pictures are.
  public let quality: VideoSettings.Codec.Quality
  /// The codec of pictures where the project says none.
  public let videoCodec: VideoSettings.Codec
  /// The codec's profile where the project says none.
  public let profile: String?
  /// The codec of sound where the project says none.
  public let audioCodec: AudioSettings.Codec
  /// The container where the project says none.
  public let fileType: FileType
  /// Whether sound alone is exported.
  public let isAudioOnly: Bool

  init(
    _ name: String, bounds: PixelSize? = nil, quality: VideoSettings.Codec.Quality = .high,
    videoCodec: VideoSettings.Codec = .h264, profile: String? = nil,
    audioCodec: AudioSettings.Codec = .aac, fileType: FileType = .mp4, isAudioOnly: Bool = false
  ) {
    self.name = name
    self.bounds = bounds
    self.quality = quality
    self.videoCodec = videoCodec
    self.profile = profile
    self.audioCodec = audioCodec
    self.fileType = fileType
    self.isAudioOnly = isAudioOnly
  }

  /// The preset of a project that names none.
  public static let highestQuality = ExportPreset("highestQuality")

  /// Copies what need not be encoded anew, in the sources' own codec and format.
  public static let passthrough = ExportPreset("passthrough")

  /// Every preset.
  public static let all =
    [
      highestQuality,
      ExportPreset("mediumQuality", bounds: PixelSize(width: 1280, height: 720), quality: .medium),
      ExportPreset("lowQuality", bounds: PixelSize(width: 640, height: 360), quality: .low),
    ]
    + [(640, 480), (960, 540), (1280, 720), (1920, 1080), (3840, 2160)].map { width, height in
      ExportPreset("\(width)x\(height)", bounds: PixelSize(width: width, height: height))
    }
    + [(1920, 1080), (3840, 2160)].map { width, height in
      ExportPreset(
        "hevc\(width)x\(height)", bounds: PixelSize(width: width, height: height),
        videoCodec: .hevc)
    } + [
      ExportPreset("hevcHighestQuality", videoCodec: .hevc),
      ExportPreset(
        "appleProRes422LPCM", videoCodec: .prores, profile: "standard", audioCodec: .pcm,
        fileType: .mov),
      ExportPreset(
        "appleProRes4444LPCM", videoCodec: .prores, profile: "4444", audioCodec: .pcm,
        fileType: .mov),
      ExportPreset("appleM4A", fileType: .m4a, isAudioOnly: true),
      passthrough,
    ]

  /// The preset of a name.
  public static func named(_ name: String) -> ExportPreset? { all.first { $0.name == name } }

  /// The bounds for an output of a shape: turned where it is taller than wide.
  public func bounds(forPortrait isPortrait: Bool) -> PixelSize? {
    guard let bounds, isPortrait else { return bounds }
    return PixelSize(width: bounds.height, height: bounds.width)
  }

  /// The constant quality in the preset's own codec; `nil` for ProRes.
  public var crf: Double? { videoCodec.crf(for: quality) }

  /// How pictures are encoded where the project says no more than the codec, if that.
  ///
  /// Those of ``passthrough`` leave open what the sources decide.
  public func videoSettings(codec: VideoSettings.Codec? = nil) -> VideoSettings {
    if self == .passthrough {
      var settings = VideoSettings()
      (settings.crf, settings.encoderPreset) = (nil, nil)
      return settings
    }
    let codec = codec ?? videoCodec
    return VideoSettings(
      codec: codec, crf: codec.crf(for: quality), profile: codec == videoCodec ? profile : nil)
  }
}

extension ExportSettings {
  /// The preset in force: ``ExportPreset/highestQuality`` where none is named.
  public var effectivePreset: ExportPreset {
    preset.flatMap(ExportPreset.named) ?? .highestQuality
  }

  /// Whether pictures are copied where they can be.
  public var isPassthrough: Bool { effectivePreset == .passthrough }

  /// Whether sound is, which it is where nothing is said of it.
  public var isSoundPassedThrough: Bool {
    isPassthrough && copiesSound == true
      && audio == ExportSettings(.passthrough, fileType: fileType).audio
  }
}
