/// One thing that ``VideoComposition/validate(for:timeRange:)`` finds, in the categories of AVFoundation's
/// `AVVideoCompositionValidationHandling`.
public enum VideoCompositionFinding: Hashable, Sendable {
  /// A property has a value that cannot be: `renderSize`, `renderScale` or `frameDuration`.
  case invalidValue(key: String, Finding)
  /// A range of time has no instruction.
  case emptyTimeRange(TimeRange, Finding)
  /// An instruction's time range is negative or empty, overlaps the one before, or begins earlier than that one.
  case invalidTimeRange(instruction: Int, Finding)
  /// A layer of an instruction shows a track that is not there, or is not a video track.
  case invalidTrackID(instruction: Int, layer: Int, Finding)

  /// Where, what, and what to do.
  public var finding: Finding {
    switch self {
    case .invalidValue(_, let finding), .emptyTimeRange(_, let finding),
      .invalidTimeRange(_, let finding), .invalidTrackID(_, _, let finding):
      finding
    }
  }
}
