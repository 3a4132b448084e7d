extension Track {
  /// Inserts a range of an asset's track at a time, at its own speed; what the track presents from there on moves on
  /// by the range's duration, and a segment that is on show at the time is split.
  ///
  /// - Parameters:
  ///   - range: the range in the asset's time, in seconds.
  ///   - time: the time in the composition, in seconds; a time after the track's end leaves a gap before the range;
  ///     `nil` (AVFoundation's invalid time) appends the range to the track.
  /// - Throws: ``EditError``, with the track as it was.
  public mutating func insertTimeRange(
    _ range: TimeRange, of assetTrack: AssetTrack, at time: RationalTime? = nil
  ) throws(EditError) {
    try insertTimeRanges([.media(range, of: assetTrack)], at: time)
  }

  /// Inserts several ranges one after the other, or none of them where one cannot be inserted.
  ///
  /// - Parameters:
  ///   - insertions: ranges of asset tracks, and empty ranges, in the order in which they are to play.
  ///   - time: the time in the composition, in seconds; `nil` appends to the track.
  /// - Throws: ``EditError``, with the track as it was.
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

  /// Inserts a range in which the track presents nothing; what it presents from the range's start on moves on.
  ///
  /// At the track's end or after it, this changes nothing: a track never ends with an empty range.
  ///
  /// - Throws: ``EditError``, with the track as it was.
  public mutating func insertEmptyTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    guard range.start < duration else { return }
    try editSegments { segments throws(TimeError) in
      let number = try segments.split(at: range.start)
      try segments.shift(from: number, by: range.duration)
    }
  }

  /// Removes what the track presents in a range; segments are trimmed, and what comes after the range closes up.
  ///
  /// - Throws: ``EditError``, with the track as it was.
  public mutating func removeTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editSegments { segments throws(TimeError) in
      let first = try segments.split(at: range.start)
      let next = try segments.split(at: range.end)
      segments.removeSubrange(first..<next)
      try segments.shift(from: first, by: .zero - range.duration)
    }
  }

  /// Presents a range faster or slower, so that it takes another duration; what comes after it moves.
  ///
  /// Target ranges change, source ranges do not: each segment within the range plays at the speed
  /// `source.duration / target.duration`. Gaps within the range are scaled too.
  ///
  /// - Throws: ``EditError``, with the track as it was.
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
