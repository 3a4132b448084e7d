/// What decoding all of a stream showed, for `sheaf probe --verify`.
public struct StreamVerification: Hashable, Codable, Sendable {
  /// Whether it is video or audio.
  public var kind: String
  /// Its number among the asset's streams of the kind.
  public var number: Int
  /// How many frames, or samples, the media index has.
  public var count: Int
  /// How many keyframes decoding was begun at; 0 for audio.
  public var starts: Int
  /// The times in seconds of frames, or sound, that decode otherwise from there than from the stream's start.
  public var differing: [Double]
  /// The times in seconds of frames, or sound, that are damaged or missing.
  public var damaged: [Double]

  /// Whether nothing is wrong with it.
  public var isSound: Bool { differing.isEmpty && damaged.isEmpty }

  /// A result from its parts.
  public init(
    kind: String, number: Int, count: Int, starts: Int, differing: [Double], damaged: [Double]
  ) {
    self.kind = kind
    self.number = number
    self.count = count
    self.starts = starts
    self.differing = differing
    self.damaged = damaged
  }
}
