/// What file a job makes.
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

  /// Settings from their parts.
  public init(
    preset: String? = nil, fileType: FileType = .mp4, optimizeForNetworkUse: Bool = true,
    video: VideoSettings = VideoSettings(), audio: AudioSettings = AudioSettings()
  ) {
    self.preset = preset
    self.fileType = fileType
    self.optimizeForNetworkUse = optimizeForNetworkUse
    self.video = video
    self.audio = audio
  }
}

/// A container that a job can be finished in.
public enum FileType: String, Hashable, Codable, Sendable, CaseIterable {
  /// MPEG-4, ISO/IEC 14496-14.
  case mp4
  /// QuickTime.
  case mov
}
