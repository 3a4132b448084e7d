/// One track of an asset, ranges of which can be inserted into a composition.
public struct AssetTrack: Hashable, Sendable {
  /// The asset's name in the project.
  public let asset: String
  /// The type of media in the track.
  public let mediaType: MediaType
  /// Which of the asset's tracks of the media type it is, from 0.
  public let trackIndex: Int
  /// The length that ranges keep within, in seconds: the asset's; `nil` for a still image, which lasts any time.
  public let duration: RationalTime?

  init(of asset: IndexedAsset, mediaType: MediaType, trackIndex: Int) {
    self.asset = asset.name
    self.mediaType = mediaType
    self.trackIndex = trackIndex
    duration = asset.index.isStillImage ? nil : asset.index.duration
  }

  /// Refuses a source range that has no length or is not within the asset.
  func check(_ range: TimeRange) throws(EditError) {
    try EditError.checkDuration(range.duration, of: "the range of the asset \"\(asset)\"")
    if range.start >= .zero, duration.map({ range.end <= $0 }) ?? true { return }
    let remedy = duration.map { "keep within [0, \($0))" } ?? "start at 0 or later"
    throw EditError(
      code: .rangeOutsideAsset,
      message: "the range \(range.shown) is not within the asset \"\(asset)\"; \(remedy)")
  }
}
