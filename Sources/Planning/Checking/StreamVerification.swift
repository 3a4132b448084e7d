/// The result of decoding an entire stream, for `sheaf probe --verify`.
public struct StreamVerification: Hashable, Codable, Sendable {
  /// A place in the stream.
  public struct Place: Hashable, Codable, Sendable {
    /// The number of the frame or sample, counted from 0.
    public var number: Int
    /// Its time in seconds since the asset's start.
    public var seconds: Double

    /// Creates a place.
    public init(number: Int, seconds: Double) {
      self.number = number
      self.seconds = seconds
    }
  }

  /// The kind of stream: `video` or `audio`.
  public var kind: String
  /// The stream's number among the asset's streams of its kind.
  public var number: Int
  /// The number of frames or samples in the media index.
  public var count: Int
  /// The number of keyframes at which decoding was started; 0 for audio.
  public var starts: Int
  /// The number of frames, or seconds of audio, that were decoded twice and compared.
  public var compared: Int
  /// The frames or sound that decode differently if decoding does not start at the stream's start.
  public var differing: [Place]
  /// The damaged or missing frames or sound.
  public var damaged: [Place]
  /// The reason why the stream cannot be decoded, e.g. `is encrypted (encv)`.
  public var unreadable: String?

  /// Whether the stream was verified and no problem was found.
  public var isSound: Bool { compared > 0 && differing.isEmpty && damaged.isEmpty }

  /// Creates a result.
  public init(
    kind: String, number: Int, count: Int, starts: Int, compared: Int, differing: [Place],
    damaged: [Place], unreadable: String? = nil
  ) {
    self.kind = kind
    self.number = number
    self.count = count
    self.starts = starts
    self.compared = compared
    self.differing = differing
    self.damaged = damaged
    self.unreadable = unreadable
  }

  /// The result for a stream that cannot be decoded.
  public static func unreadable(
    _ reason: String, kind: String, number: Int, count: Int
  ) -> StreamVerification {
    StreamVerification(
      kind: kind, number: number, count: count, starts: 0, compared: 0, differing: [],
      damaged: [], unreadable: reason)
  }
}
