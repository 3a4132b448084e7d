import Timeline

/// Finds the gaps between the samples that are written.
public struct GapTracker: Hashable, Sendable {
  private var ends: [Int: RationalTime] = [:]

  /// Creates a tracker for a part whose tracks all begin at zero.
  public init() {}

  /// Whether a track has had samples.
  public func has(_ track: Int) -> Bool { ends[track] != nil }

  /// Adds a run of samples of a track that have no gap between them.
  ///
  /// - Parameter tolerance: the longest time without samples that does not count as a gap, in seconds.
  /// - Returns: the gap before the run, if there is one.
  public mutating func add(
    track: Int, from start: RationalTime, to end: RationalTime, tolerance: RationalTime
  ) -> RecordingGap? {
    let last = ends[track] ?? .zero
    ends[track] = max(last, end)
    guard let wait = try? start - last, wait > tolerance else { return nil }
    return RecordingGap(track: track, start: last, end: start)
  }
}
