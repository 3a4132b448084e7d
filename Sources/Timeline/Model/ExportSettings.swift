/// The settings of the file that a job makes.
public struct ExportSettings: Hashable, Codable, Sendable {
  /// The preset's name, e.g. `highestQuality`, `1920x1080`.
  public var preset: String?
  /// The container.
  public var fileType: FileType
  /// Whether the index stands at the front of the file, so that it plays while it downloads.
  public var optimizeForNetworkUse: Bool
  /// How pictures are encoded.
  public var video: VideoSettings
  /// How sound is encoded.
  public var audio: AudioSettings
  /// Whether sound is copied with the preset `passthrough` where it can be, as long as ``audio`` is what that preset
  /// has; never where `nil`.
  public var copiesSound: Bool?
  /// The part of the composition that is exported; all of it where `nil`.
  public var timeRange: TimeRange?
  /// The file's metadata.
  public var metadata: ExportMetadata?
  /// The file's chapters in the order of time.
  public var chapters: [Chapter]?
  /// The most bytes that the file may have; it ends early where they do not suffice.
  public var fileLengthLimit: Int?
  /// How damaged media is handled. `nil` means ``DamagePolicy/fail``, except that copied frames are not decoded to find
  /// damage.
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

  /// Settings as a preset gives them: its codecs, its quality and the container that it is meant for.
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
