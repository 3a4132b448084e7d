/// A range that is inserted into a track together with others.
public enum TimeRangeInsertion: Hashable, Sendable {
  /// A range of an asset's track, in the asset's time.
  case media(TimeRange, of: AssetTrack)
  /// An empty range with a duration in seconds.
  case empty(duration: RationalTime)

  /// The duration in the composition, in seconds.
  public var duration: RationalTime {
    switch self {
    case .media(let range, _): range.duration
    case .empty(let duration): duration
    }
  }

  /// Throws if the range cannot be inserted into a track of the media type.
  func check(forTrack id: Int, mediaType: MediaType) throws(EditError) {
    switch self {
    case .empty(let duration):
      try EditError.checkDuration(duration, of: "the empty range")
    case .media(let range, let assetTrack):
      guard assetTrack.mediaType == mediaType else {
        throw EditError(
          code: .mediaTypeMismatch,
          message: "\(assetTrack.mediaType.rawValue) of the asset \"\(assetTrack.asset)\" cannot "
            + "go into track \(id), which is \(mediaType.rawValue); "
            + "use a track of the same media type")
      }
      try assetTrack.check(range)
    }
  }
}
