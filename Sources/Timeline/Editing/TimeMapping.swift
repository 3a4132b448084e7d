/// A range of a composition's track and the range of an asset's track that it presents.
public struct TimeMapping: Hashable, Sendable {
  /// The range in the asset's time; `nil` if the track presents nothing.
  public let source: TimeRange?
  /// The range in the composition's time.
  public let target: TimeRange

  /// Creates a mapping from its ranges.
  public init(source: TimeRange?, target: TimeRange) {
    self.source = source
    self.target = target
  }

  /// Whether the track presents nothing.
  public var isEmpty: Bool { source == nil }
}

extension TrackSegment {
  /// The segment as a mapping.
  public var timeMapping: TimeMapping { TimeMapping(source: source, target: target) }
}

extension Track {
  /// The end of the last segment, in seconds; 0 without segments.
  public var duration: RationalTime { segments.map(\.target.end).max() ?? .zero }

  /// The segments and gaps of the track, from 0 to its end. Each gap is an empty mapping.
  ///
  /// - Throws: ``EditError`` if the segments are not in order, or a gap's length does not fit in 64 bits.
  public var timeMappings: [TimeMapping] {
    get throws(EditError) {
      try Self.validateSegments(segments)
      do throws(TimeError) {
        var mappings: [TimeMapping] = []
        var end = RationalTime.zero
        for segment in segments {
          if segment.target.start > end {
            let gap = try TimeRange(start: end, end: segment.target.start)
            mappings.append(TimeMapping(source: nil, target: gap))
          }
          mappings.append(segment.timeMapping)
          end = segment.target.end
        }
        return mappings
      } catch {
        throw .overflow(inTrack: id)
      }
    }
  }
}
