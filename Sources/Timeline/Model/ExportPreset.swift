/// A named preset: the maximum size of the output, its codecs, and its quality.
///
/// The names are those of AVFoundation's export presets, without `AVAssetExportPreset`.
public struct ExportPreset: Hashable, Sendable {
  /// The name in the project file.
  public let name: String
  /// The maximum size of landscape output. For portrait output, width and height are swapped. `nil` means no limit.
  public let bounds: PixelSize?
  /// The quality of the video.
  public let quality: VideoSettings.Codec.Quality
  /// The default video codec.
  public let videoCodec: VideoSettings.Codec
  /// The default profile of the codec.
  public let profile: String?
  /// The default audio codec.
  public let audioCodec: AudioSettings.Codec
  /// The default container.
  public let fileType: FileType
  /// Whether only audio is exported.
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

  /// The default preset: continues the format of the footage that fills most of the time, and copies its packets
  /// wherever possible. If no format can be continued, it encodes like ``highestQuality``.
  public static let automatic = ExportPreset("automatic")

  /// Encodes every frame at a high quality, in the size of the first clip.
  public static let highestQuality = ExportPreset("highestQuality")

  /// Copies packets wherever that is possible, in the codec and format of the sources.
  public static let passthrough = ExportPreset("passthrough")

  /// All presets.
  public static let all =
    [
      automatic, highestQuality,
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

  /// The preset with a name.
  public static func named(_ name: String) -> ExportPreset? { all.first { $0.name == name } }

  /// The bounds for a landscape or a portrait output.
  public func bounds(forPortrait isPortrait: Bool) -> PixelSize? {
    guard let bounds, isPortrait else { return bounds }
    return PixelSize(width: bounds.height, height: bounds.width)
  }

  /// The CRF for the preset's own codec; `nil` for ProRes.
  public var crf: Double? { videoCodec.crf(for: quality) }

  /// The video settings for a project that sets at most the codec.
  ///
  /// For ``passthrough``, the settings that the sources determine are not set.
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
  /// The preset in effect. Without a name, it is ``ExportPreset/highestQuality``, which ``video`` and ``audio`` may
  /// change.
  public var effectivePreset: ExportPreset {
    preset.flatMap(ExportPreset.named) ?? .highestQuality
  }

  /// Whether the output must continue the format of the sources, and their packets are copied wherever possible.
  public var isPassthrough: Bool { effectivePreset == .passthrough }

  /// Whether the media decide if packets are copied; see ``choice``.
  public var isAutomatic: Bool { effectivePreset == .automatic }

  /// The format that the preset `automatic` continues; `nil` for other presets, and as long as none is chosen.
  public var continued: ContinuedFormat? {
    guard isAutomatic, case .continued(let format)? = choice else { return nil }
    return format
  }

  /// Whether ``video`` says how every frame is encoded, rather than the sources.
  public var encodesEveryFrame: Bool {
    guard isAutomatic else { return !isPassthrough }
    guard case .encoded? = choice else { return false }
    return true
  }

  /// Whether audio packets are copied wherever possible, which is the case unless audio settings are given.
  public var isSoundPassedThrough: Bool { (isPassthrough || continued != nil) && mayCopySound }

  /// Whether audio packets may be copied if video packets are.
  public var mayCopySound: Bool {
    (isPassthrough || isAutomatic) && copiesSound == true
      && audio == ExportSettings(effectivePreset, fileType: fileType).audio
  }
}
