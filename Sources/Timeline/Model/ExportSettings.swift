/// The settings of the file that a job creates.
public struct ExportSettings: Hashable, Codable, Sendable {
  /// The preset's name, e.g. `highestQuality`, `1920x1080`.
  public var preset: String?
  /// The container.
  public var fileType: FileType
  /// Whether the index is at the front of the file, so that the file can play while it downloads.
  public var optimizeForNetworkUse: Bool
  /// The settings for encoding video.
  public var video: VideoSettings
  /// The settings for encoding audio.
  public var audio: AudioSettings
  /// Whether the preset `passthrough` copies audio wherever possible, provided that ``audio`` has that preset's values.
  /// `nil` means never.
  public var copiesSound: Bool?
  /// The part of the composition to export. `nil` means all of it.
  public var timeRange: TimeRange?
  /// The file's metadata.
  public var metadata: ExportMetadata?
  /// The file's chapters in chronological order.
  public var chapters: [Chapter]?
  /// The maximum length of the file, in bytes. The file ends early if it would be longer.
  public var fileLengthLimit: Int?
  /// The handling of damaged media. `nil` means ``DamagePolicy/fail``, except that copied frames are not decoded to
  /// find damage.
  public var onDamage: DamagePolicy?

  /// Creates settings.
  public init(
    preset: String? = nil, fileType: FileType = .mp4, optimizeForNetworkUse: Bool = true,
    video: VideoSettings = VideoSettings(), audio: AudioSettings = AudioSettings(),
    copiesSound: Bool? = nil, timeRange: TimeRange? = nil, metadata: ExportMetadata? = nil,
    chapters: [Chapter]? = nil, fileLengthLimit: Int? = nil, onDamage: DamagePolicy? = nil
  ) {
    self.preset = preset
    self.fileType = fileType
    self.optimizeForNetworkUse = optimizeForNetworkUse
    self.video = video
    self.audio = audio
    self.copiesSound = copiesSound
    self.timeRange = timeRange
    self.metadata = metadata
    self.chapters = chapters
    self.fileLengthLimit = fileLengthLimit
    self.onDamage = onDamage
  }

  /// Creates the settings of a preset: its codecs, its quality and its container.
  public init(_ preset: ExportPreset, fileType: FileType? = nil) {
    self.init(
      preset: preset.name, fileType: fileType ?? preset.fileType,
      video: preset.videoSettings(),
      audio: AudioSettings(
        codec: preset == .passthrough
          ? (fileType ?? preset.fileType).usualAudioCodec : preset.audioCodec),
      copiesSound: preset == .passthrough ? true : nil)
  }

  /// Whether the file is audio-only, regardless of the composition.
  public var isAudioOnly: Bool { fileType == .m4a || effectivePreset.isAudioOnly }
}
