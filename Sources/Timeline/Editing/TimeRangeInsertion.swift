/// One of several things that are inserted into a track one after the other.
public enum TimeRangeInsertion: Hashable, Sendable {
  /// A range of an asset's track, in the asset's time.
  case media(TimeRange, of: AssetTrack)
  /// A length of time, in seconds, in which the track shows and plays nothing.
  case empty(duration: RationalTime)

  /// How much of the composition's time it takes, in seconds.
  public var duration: RationalTime {
    switch self {
    case .media(let range, _): range.duration
    case .empty(let duration): duration
    }
  }

  /// Refuses what a track of the media type cannot take.
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
