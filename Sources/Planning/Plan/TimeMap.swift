import Timeline

/// How a source plays at changed speed: contiguous pieces of constant speed.
public struct TimeMap: Hashable, Codable, Sendable {
  /// The algorithm for the pitch.
  public var pitch: AudioTimePitchAlgorithm
  /// The pieces, each beginning where the one before ends in both times.
  public var pieces: [Piece]

  /// A range of the source that plays at one speed.
  public struct Piece: Hashable, Codable, Sendable {
    /// The range in the asset's time.
    public var source: TimeRange
    /// The range in the composition's time.
    public var target: TimeRange

    /// Creates a piece.
    public init(source: TimeRange, target: TimeRange) {
      self.source = source
      self.target = target
    }
  }

  /// Creates a map.
  public init(pitch: AudioTimePitchAlgorithm, pieces: [Piece]) {
    self.pitch = pitch
    self.pieces = pieces
  }
}
