extension Track {
  /// Checks that segments are valid for a track: all source and target ranges are non-empty and start at 0 or later,
  /// and the segments are in chronological order without overlaps.
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
            + "use ranges that start at 0 or later and are not empty")
      }
      guard segment.target.start >= end else {
        throw EditError(
          code: .invalidSegments,
          message: "segment \(number) starts at \(segment.target.start) s, before the previous one "
            + "ends at \(end) s; list segments in chronological order, without overlaps")
      }
      end = segment.target.end
    }
  }

  /// Edits the segments. If they are invalid, or if a time of the result does not fit in 64 bits, they are unchanged.
  ///
  /// - Throws: ``EditError/Code/invalidSegments`` or ``EditError/Code/overflow``.
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
