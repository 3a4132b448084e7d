/// A project in its composition form: what the planner reads.
public struct Project: Hashable, Sendable {
  /// The assets by the names that the composition uses.
  public var assets: [String: Asset]
  /// The tracks and what they show when.
  public var composition: Composition
  /// How the video tracks are put together; derived from the tracks where `nil`.
  public var videoComposition: VideoComposition?
  /// The volume of the audio tracks; every track at full volume where `nil`.
  public var audioMix: AudioMix?
  /// The export settings of the file.
  public var export: ExportSettings

  /// Creates a project.
  public init(
    assets: [String: Asset], composition: Composition, videoComposition: VideoComposition? = nil,
    audioMix: AudioMix? = nil, export: ExportSettings = ExportSettings()
  ) {
    self.assets = assets
    self.composition = composition
    self.videoComposition = videoComposition
    self.audioMix = audioMix
    self.export = export
  }
}
