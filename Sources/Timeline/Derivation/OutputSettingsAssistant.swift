/// Suggests full settings for an output from a preset and the format of the source, as AVOutputSettingsAssistant does.
public struct OutputSettingsAssistant: Hashable, Sendable {
  /// The preset to follow; without one, pictures have the bit rate of ``bitRate(for:)``.
  public var preset: ExportPreset?
  /// The source's pictures, if it has any.
  public var sourceVideo: VideoStream?
  /// The source's sound, if it has any.
  public var sourceAudio: AudioStream?
  /// The container; the preset's where `nil`.
  public var fileType: FileType?

  /// An assistant for a source.
  public init(
    preset: ExportPreset? = nil, sourceVideo: VideoStream?, sourceAudio: AudioStream?,
    fileType: FileType? = nil
  ) {
    self.preset = preset
    self.sourceVideo = sourceVideo
    self.sourceAudio = sourceAudio
    self.fileType = fileType
  }

  /// The most frames from keyframe to keyframe where no settings are given.
  public static let keyFrameInterval = 30

  /// The bit rate where no settings are given, in bits per second: 4.05 for each pixel of a frame below 640 × 480, and
  /// 10.1 from there on.
  public static func bitRate(for size: PixelSize) -> Int {
    let pixels = size.width * size.height
    // Hundredths keep it exact.
    return pixels < 640 * 480 ? pixels * 405 / 100 : pixels * 1010 / 100
  }

  /// The container.
  public var outputFileType: FileType {
    fileType ?? preset?.fileType ?? (sourceVideo == nil ? .m4a : .mp4)
  }

  /// The output's size in pixels: the source's, upright, within the preset's bounds. `nil` without pictures.
  public var outputSize: PixelSize? { format?.renderSize }

  /// The length of one output frame, in seconds: the source's. `nil` without pictures.
  public var frameDuration: RationalTime? { format?.frameDuration }

  /// How pictures are encoded; `nil` if there are none, or the preset or the container leaves them out.
  public var videoSettings: VideoSettings? {
    guard let size = outputSize else { return nil }
    if let preset { return preset.videoSettings() }
    guard let codec = outputFileType.usualVideoCodec else { return nil }
    return Self.videoSettings(codec: codec, size: size)
  }

  /// How pictures are encoded in a codec where no settings are given.
  public static func videoSettings(codec: VideoSettings.Codec, size: PixelSize) -> VideoSettings {
    guard codec != .prores else { return VideoSettings(codec: .prores, profile: "standard") }
    return VideoSettings(
      codec: codec, bitRate: bitRate(for: size), keyFrameInterval: keyFrameInterval)
  }

  /// How sound is encoded, `nil` if there is none: at the source's rate where the codec has it, in one channel where a
  /// preset is followed and the source has one; without a preset in stereo at 128 kb/s.
  public var audioSettings: AudioSettings? {
    guard let sourceAudio else { return nil }
    let codec = preset?.audioCodec ?? outputFileType.usualAudioCodec
    let rate = codec.sampleRates.contains(sourceAudio.sampleRate) ? sourceAudio.sampleRate : 48_000
    return AudioSettings(
      codec: codec, sampleRate: rate,
      channels: preset == nil ? 2 : min(max(sourceAudio.channels, 1), 2))
  }

  /// All of it as a project's export settings; what the source lacks is at its default.
  public var exportSettings: ExportSettings {
    ExportSettings(
      preset: preset?.name, fileType: outputFileType, video: videoSettings ?? VideoSettings(),
      audio: audioSettings ?? AudioSettings(codec: outputFileType.usualAudioCodec))
  }

  private var format: OutputFormat? {
    guard let sourceVideo, !outputFileType.videoCodecs.isEmpty, preset?.isAudioOnly != true else {
      return nil
    }
    return OutputFormat(
      streams: [
        OutputFormat.Shown(
          stream: sourceVideo, isStillImage: false, picture: UprightPicture(sourceVideo))
      ], preset: preset ?? .highestQuality)
  }
}

extension FileType {
  /// The default video codec; `nil` for an audio-only file.
  public var usualVideoCodec: VideoSettings.Codec? {
    videoCodecs.contains(.h264) ? .h264 : videoCodecs.last
  }

  /// The default audio codec.
  public var usualAudioCodec: AudioSettings.Codec { audioCodecs.contains(.aac) ? .aac : .opus }
}
