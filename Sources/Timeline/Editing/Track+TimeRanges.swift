extension Track {
  /// Inserts a range of an asset's track at its normal speed. Everything from the insertion time on is shifted later by
  /// the range's duration, and a segment at that time is split.
  ///
  /// - Parameters:
  ///   - range: The range in the asset's time, in seconds.
  ///   - time: The time in the composition, in seconds. A time after the track's end leaves a gap before the range.
  ///     `nil` (AVFoundation's invalid time) appends the range to the track.
  /// - Throws: ``EditError``. The track is unchanged then.
  public mutating func insertTimeRange(
    _ range: TimeRange, of assetTrack: AssetTrack, at time: RationalTime? = nil
  ) throws(EditError) {
    try insertTimeRanges([.media(range, of: assetTrack)], at: time)
  }

  /// Inserts several consecutive ranges, or none of them if one cannot be inserted.
  ///
  /// - Parameters:
  ///   - insertions: Ranges of asset tracks and empty ranges, in playing order.
  ///   - time: The time in the composition, in seconds. `nil` appends to the track.
  /// - Throws: ``EditError``. The track is unchanged then.
  public mutating func insertTimeRanges(
    _ insertions: [TimeRangeInsertion], at time: RationalTime? = nil
  ) throws(EditError) {
    if let time { try EditError.checkTime(time) }
    for insertion in insertions { try insertion.check(forTrack: id, mediaType: mediaType) }
    let start = time ?? duration
    try editSegments { segments throws(TimeError) in
      let number = try segments.split(at: start)
      var end = start
      var inserted: [TrackSegment] = []
      for insertion in insertions {
        let target = try TimeRange(start: end, duration: insertion.duration)
        end = target.end
        guard case .media(let source, let assetTrack) = insertion else { continue }
        inserted.append(
          TrackSegment(
            asset: assetTrack.asset, trackIndex: assetTrack.trackIndex, source: source,
            target: target))
      }
      try segments.shift(from: number, by: end - start)
      segments.insert(contentsOf: inserted, at: number)
    }
  }

  /// Inserts an empty range. Everything from the start of the range on is shifted later by its duration.
  ///
  /// At or after the track's end this has no effect: a track never ends with an empty range.
  ///
  /// - Throws: ``EditError``. The track is unchanged then.
  public mutating func insertEmptyTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    guard range.start < duration else { return }
    try editSegments { segments throws(TimeError) in
      let number = try segments.split(at: range.start)
      try segments.shift(from: number, by: range.duration)
    }
  }

  /// Removes a range. Segments are trimmed, and everything after the range moves earlier to close the gap.
  ///
  /// - Throws: ``EditError``. The track is unchanged then.
  public mutating func removeTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editSegments { segments throws(TimeError) in
      let first = try segments.split(at: range.start)
      let next = try segments.split(at: range.end)
      segments.removeSubrange(first..<next)
      try segments.shift(from: first, by: .zero - range.duration)
    }
  }

  /// Changes the speed of a range so that it has a new duration. Everything after it moves accordingly.
  ///
  /// Target ranges change, but source ranges do not: each segment within the range plays at the speed
  /// `source.duration / target.duration`. Gaps within the range are scaled too.
  ///
  /// - Throws: ``EditError``. The track is unchanged then.
  public mutating func scaleTimeRange(_ range: TimeRange, toDuration duration: RationalTime)
    throws(EditError)
  {
    try EditError.checkRange(range)
    try EditError.checkDuration(duration, of: "the scaled range")
    try editSegments { segments throws(TimeError) in
      let scale = try duration / range.duration
      func scaled(_ time: RationalTime) throws(TimeError) -> RationalTime {
        try range.start + (time - range.start) * scale
      }
      let first = try segments.split(at: range.start)
      let next = try segments.split(at: range.end)
      for number in first..<next {
        let target = segments[number].target
        segments[number].target = try TimeRange(
          start: scaled(target.start), end: scaled(target.end))
      }
      try segments.shift(from: next, by: duration - range.duration)
    }
  }
}
