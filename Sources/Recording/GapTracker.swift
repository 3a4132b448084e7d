import Timeline

/// A time for which a recording has no samples of a track.
public struct RecordingGap: Hashable, Codable, Sendable {
  /// The number of the track.
  public var track: Int
  /// The end of the last sample before the gap, in seconds of the recording.
  public var start: RationalTime
  /// The start of the first sample after it, in seconds of the recording.
  public var end: RationalTime

  /// Creates a gap.
  public init(track: Int, start: RationalTime, end: RationalTime) {
    self.track = track
    self.start = start
    self.end = end
  }
}

/// Finds the gaps between the samples that are written.
public struct GapTracker: Hashable, Sendable {
  private var ends: [Int: RationalTime] = [:]

  /// Creates a tracker for a recording whose tracks all begin at zero.
  public init() {}

  /// Whether a track has had samples.
  public func has(_ track: Int) -> Bool { ends[track] != nil }

  /// Notes a run of samples of a track that belong together.
  ///
  /// - Parameter tolerance: the longest time without samples that is no gap, in seconds.
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
