/// The settings of the file that a job creates.
public struct ExportSettings: Hashable, Codable, Sendable {
  /// The players that a file must suit.
  public enum Compatibility: String, Hashable, Codable, Sendable, CaseIterable {
    /// Players that read all parameter sets from the file's only sample description.
    case strict = "strict"
  }

  /// The preset's name, e.g. `automatic`, `1920x1080`. `nil` means that the other settings say how to encode.
  public var preset: String?
  /// The container.
  public var fileType: FileType
  /// Whether the index is at the front of the file, so that the file can play while it downloads.
  public var optimizeForNetworkUse: Bool
  /// The settings for encoding video.
  public var video: VideoSettings
  /// The settings for encoding audio.
  public var audio: AudioSettings
  /// Whether the presets `passthrough` and `automatic` copy audio wherever possible, provided that ``audio`` is as the
  /// preset sets it. `nil` means never.
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
  /// The players that the file must suit; `nil` means current ones.
  public var compatibility: Compatibility?
  /// How the preset `automatic` makes the file. It depends on the media and is not part of a project file; `nil` means
  /// that it has not been decided.
  public var choice: FormatChoice?

  /// Creates settings.
  public init(
    preset: String? = nil, fileType: FileType = .mp4, optimizeForNetworkUse: Bool = true,
    video: VideoSettings = VideoSettings(), audio: AudioSettings = AudioSettings(),
    copiesSound: Bool? = nil, timeRange: TimeRange? = nil, metadata: ExportMetadata? = nil,
    chapters: [Chapter]? = nil, fileLengthLimit: Int? = nil, onDamage: DamagePolicy? = nil,
    compatibility: Compatibility? = nil
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
    self.compatibility = compatibility
  }

  /// Creates the settings of a preset: its codecs, its quality and its container.
  public init(_ preset: ExportPreset, fileType: FileType? = nil) {
    let copies = preset == .passthrough || preset == .automatic
    self.init(
      preset: preset.name, fileType: fileType ?? preset.fileType,
      video: preset.videoSettings(),
      audio: AudioSettings(
        codec: copies ? (fileType ?? preset.fileType).usualAudioCodec : preset.audioCodec),
      copiesSound: copies ? true : nil)
  }

  /// Whether the file is audio-only, regardless of the composition.
  public var isAudioOnly: Bool { fileType == .m4a || effectivePreset.isAudioOnly }
}
