extension TrackSegment {
  /// Seconds of the source that play in one second.
  public var speed: RationalTime {
    get throws(TimeError) { try source.duration / target.duration }
  }

  /// Whether the source plays at another speed than its own.
  public var changesSpeed: Bool { source.duration != target.duration }

  /// Whether this segment goes on where an earlier one ends, in the same stream and without a jump of time.
  public func playsOn(from earlier: TrackSegment) -> Bool {
    asset == earlier.asset && trackIndex == earlier.trackIndex
      && source.start == earlier.source.end && target.start == earlier.target.end
  }
}

extension Track {
  /// The segments in runs that play on from one to the next, at whatever speeds.
  public var runs: [ArraySlice<TrackSegment>] {
    var runs: [ArraySlice<TrackSegment>] = []
    var first = 0
    for number in segments.indices.dropFirst()
    where !segments[number].playsOn(from: segments[number - 1]) {
      runs.append(segments[first..<number])
      first = number
    }
    if first < segments.count { runs.append(segments[first...]) }
    return runs
  }
}
