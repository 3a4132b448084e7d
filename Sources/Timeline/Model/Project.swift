/// A project in its composition form, which is the input of the planner.
public struct Project: Hashable, Sendable {
  /// The assets by the names that the composition uses.
  public var assets: [String: Asset]
  /// The tracks with their segments.
  public var composition: Composition
  /// The video composition. `nil` means that it is derived from the tracks.
  public var videoComposition: VideoComposition?
  /// The audio mix. `nil` means that every track plays at full volume.
  public var audioMix: AudioMix?
  /// The export settings of the file.
  public var export: ExportSettings

  /// Creates a project.
  public init(
    assets: [String: Asset], composition: Composition, videoComposition: VideoComposition? = nil,
    audioMix: AudioMix? = nil, export: ExportSettings = ExportSettings(.automatic)
  ) {
    self.assets = assets
    self.composition = composition
    self.videoComposition = videoComposition
    self.audioMix = audioMix
    self.export = export
  }
}
