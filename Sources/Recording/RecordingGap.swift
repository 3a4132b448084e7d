import Timeline

/// A period in which a part has no samples of a track.
public struct RecordingGap: Hashable, Codable, Sendable {
  /// The number of the track in its part, from 0.
  public var track: Int
  /// The end of the last sample before the gap, in seconds from the start of the part.
  public var start: RationalTime
  /// The start of the first sample after it, in seconds from the start of the part.
  public var end: RationalTime

  /// Creates a gap.
  public init(track: Int, start: RationalTime, end: RationalTime) {
    self.track = track
    self.start = start
    self.end = end
  }
}
