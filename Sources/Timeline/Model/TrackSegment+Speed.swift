extension TrackSegment {
  /// The speed, in seconds of the source per second.
  public var speed: RationalTime {
    get throws(TimeError) { try source.duration / target.duration }
  }

  /// Whether the source plays at a speed other than 1.
  public var changesSpeed: Bool { source.duration != target.duration }

  /// Whether this segment continues an earlier one: in the same stream, without a gap in source or target.
  public func playsOn(from earlier: TrackSegment) -> Bool {
    asset == earlier.asset && trackIndex == earlier.trackIndex
      && source.start == earlier.source.end && target.start == earlier.target.end
  }
}

extension Track {
  /// The runs of segments that continue one another, regardless of their speeds.
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
