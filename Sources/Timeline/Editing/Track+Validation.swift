extension Track {
  /// Checks that segments can be a track's: each has a length in source and target, none begins before 0, and they
  /// stand in the order of time without overlaps.
  ///
  /// - Throws: ``EditError/Code/invalidSegments``.
  public static func validateSegments(_ segments: [TrackSegment]) throws(EditError) {
    var end = RationalTime.zero
    for (number, segment) in segments.enumerated() {
      for range in [segment.source, segment.target] {
        guard range.start < .zero || range.duration <= .zero else { continue }
        throw EditError(
          code: .invalidSegments,
          message: "segment \(number) has the range \(range.shown); "
            + "give ranges that start at 0 or later and have a length")
      }
      guard segment.target.start >= end else {
        throw EditError(
          code: .invalidSegments,
          message: "segment \(number) begins at \(segment.target.start) s, before \(end) s, where "
            + "the one before it ends; list segments in the order of time, without overlaps")
      }
      end = segment.target.end
    }
  }

  /// Changes the segments if they are in order and every time of the outcome fits; else leaves them as they are.
  mutating func editSegments(_ edit: (inout [TrackSegment]) throws(TimeError) -> Void)
    throws(EditError)
  {
    try Self.validateSegments(segments)
    var edited = segments
    do throws(TimeError) {
      try edit(&edited)
    } catch {
      throw .overflow(inTrack: id)
    }
    segments = edited
  }
}
