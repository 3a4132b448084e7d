/// Suggests complete output settings based on a preset and the source's format, like AVOutputSettingsAssistant.
public struct OutputSettingsAssistant: Hashable, Sendable {
  /// The preset to follow. Without one, video has the bit rate of ``bitRate(for:)``.
  public var preset: ExportPreset?
  /// The source's video, if it has any.
  public var sourceVideo: VideoStream?
  /// The source's audio, if it has any.
  public var sourceAudio: AudioStream?
  /// The container. `nil` means the preset's.
  public var fileType: FileType?

  /// Creates an assistant for a source.
  public init(
    preset: ExportPreset? = nil, sourceVideo: VideoStream?, sourceAudio: AudioStream?,
    fileType: FileType? = nil
  ) {
    self.preset = preset
    self.sourceVideo = sourceVideo
    self.sourceAudio = sourceAudio
    self.fileType = fileType
  }

  /// The default maximum keyframe interval, in frames.
  public static let keyFrameInterval = 30

  /// The default bit rate, in bits per second: 4.05 per pixel of a frame below 640 × 480, and 10.1 per pixel otherwise.
  public static func bitRate(for size: PixelSize) -> Int {
    let pixels = size.width * size.height
    // Integer arithmetic in hundredths is exact.
    return pixels < 640 * 480 ? pixels * 405 / 100 : pixels * 1010 / 100
  }

  /// The container.
  public var outputFileType: FileType {
    fileType ?? preset?.fileType ?? (sourceVideo == nil ? .m4a : .mp4)
  }

  /// The output's size in pixels: the source's upright size within the preset's bounds. `nil` without video.
  public var outputSize: PixelSize? { format?.renderSize }

  /// The output's frame duration in seconds, derived from the source. `nil` without video.
  public var frameDuration: RationalTime? { format?.frameDuration }

  /// The video settings; `nil` if there is no video, or the preset or the container does not include any.
  public var videoSettings: VideoSettings? {
    guard let size = outputSize else { return nil }
    if let preset { return preset.videoSettings() }
    guard let codec = outputFileType.usualVideoCodec else { return nil }
    return Self.videoSettings(codec: codec, size: size)
  }

  /// The default video settings for a codec.
  public static func videoSettings(codec: VideoSettings.Codec, size: PixelSize) -> VideoSettings {
    guard codec != .prores else { return VideoSettings(codec: .prores, profile: "standard") }
    return VideoSettings(
      codec: codec, bitRate: bitRate(for: size), keyFrameInterval: keyFrameInterval)
  }

  /// The audio settings; `nil` if there is no audio.
  ///
  /// The sample rate is the source's if the codec supports it. With a preset, mono stays mono; without a preset, audio
  /// is stereo at 128 kb/s.
  public var audioSettings: AudioSettings? {
    guard let sourceAudio else { return nil }
    let codec = preset?.audioCodec ?? outputFileType.usualAudioCodec
    let rate = codec.sampleRates.contains(sourceAudio.sampleRate) ? sourceAudio.sampleRate : 48_000
    return AudioSettings(
      codec: codec, sampleRate: rate,
      channels: preset == nil ? 2 : min(max(sourceAudio.channels, 1), 2))
  }

  /// The settings as a project's export settings, with defaults for what the source lacks.
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
