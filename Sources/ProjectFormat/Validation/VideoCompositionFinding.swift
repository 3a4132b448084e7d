import Timeline

/// A finding of ``VideoComposition/validate(for:timeRange:)``, in the categories of AVFoundation's
/// `AVVideoCompositionValidationHandling`.
public enum VideoCompositionFinding: Hashable, Sendable {
  /// A property (`renderSize`, `renderScale` or `frameDuration`) has an invalid value.
  case invalidValue(key: String, Finding)
  /// A time range has no instruction.
  case emptyTimeRange(TimeRange, Finding)
  /// An instruction's time range is negative or empty, or starts before the end of the previous one.
  case invalidTimeRange(instruction: Int, Finding)
  /// A layer of an instruction shows a track that does not exist or is not a video track.
  case invalidTrackID(instruction: Int, layer: Int, Finding)

  /// The path, the problem and the remedy.
  public var finding: Finding {
    switch self {
    case .invalidValue(_, let finding), .emptyTimeRange(_, let finding),
      .invalidTimeRange(_, let finding), .invalidTrackID(_, _, let finding):
      finding
    }
  }
}
