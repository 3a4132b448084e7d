/// The result of decoding an entire stream, for `sheaf probe --verify`.
public struct StreamVerification: Hashable, Codable, Sendable {
  /// The kind of stream: `video` or `audio`.
  public var kind: String
  /// Its number among the asset's streams of the kind.
  public var number: Int
  /// The number of frames or samples in the media index.
  public var count: Int
  /// The number of keyframes at which decoding was started; 0 for audio.
  public var starts: Int
  /// The times, in seconds, of frames or sound that decode differently from there than from the stream's start.
  public var differing: [Double]
  /// The times, in seconds, of damaged or missing frames or sound.
  public var damaged: [Double]

  /// Whether no problem was found.
  public var isSound: Bool { differing.isEmpty && damaged.isEmpty }

  /// Creates a result.
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
