/// A track of an asset. Ranges of it can be inserted into a composition.
public struct AssetTrack: Hashable, Sendable {
  /// The asset's name in the project.
  public let asset: String
  /// The type of media in the track.
  public let mediaType: MediaType
  /// The index of the track among the asset's tracks of the media type, from 0.
  public let trackIndex: Int
  /// The duration of the asset, in seconds; `nil` for a still image, which can have any duration.
  public let duration: RationalTime?

  init(of asset: IndexedAsset, mediaType: MediaType, trackIndex: Int) {
    self.asset = asset.name
    self.mediaType = mediaType
    self.trackIndex = trackIndex
    duration = asset.index.isStillImage ? nil : asset.index.duration
  }

  /// Throws if a source range is empty or not within the asset.
  func check(_ range: TimeRange) throws(EditError) {
    try EditError.checkDuration(range.duration, of: "the range of the asset \"\(asset)\"")
    if range.start >= .zero, duration.map({ range.end <= $0 }) ?? true { return }
    let remedy = duration.map { "use a range within [0, \($0))" } ?? "start at 0 or later"
    throw EditError(
      code: .rangeOutsideAsset,
      message: "the range \(range.shown) is not within the asset \"\(asset)\"; \(remedy)")
  }
}
