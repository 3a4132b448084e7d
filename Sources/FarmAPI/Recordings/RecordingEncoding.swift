/// How to encode streams that MP4 files cannot hold. Other streams are copied.
public struct RecordingEncoding: Hashable, Codable, Sendable {
  /// Bits per second of the pictures; `nil` for the default for their size.
  public var videoBitRate: Int?
  /// The number of pictures from one keyframe to the next; `nil` for 30.
  public var keyframeInterval: Int?
  /// Bits per second of the sound; `nil` for 128,000.
  public var audioBitRate: Int?

  /// The allowed values of ``videoBitRate``.
  public static let videoBitRates = 10_000...1_000_000_000
  /// The allowed values of ``keyframeInterval``.
  public static let keyframeIntervals = 1...1000
  /// The allowed values of ``audioBitRate``.
  public static let audioBitRates = 8000...512_000

  /// Creates settings.
  public init(
    videoBitRate: Int? = nil, keyframeInterval: Int? = nil, audioBitRate: Int? = nil
  ) {
    self.videoBitRate = videoBitRate
    self.keyframeInterval = keyframeInterval
    self.audioBitRate = audioBitRate
  }

  /// The first value that is not allowed, and those that are; `nil` if all are allowed.
  public var problem: String? {
    for (name, value, allowed) in [
      ("videoBitRate", videoBitRate, Self.videoBitRates),
      ("keyframeInterval", keyframeInterval, Self.keyframeIntervals),
      ("audioBitRate", audioBitRate, Self.audioBitRates),
    ] {
      if let value, !allowed.contains(value) {
        return "\(name) must be from \(allowed.lowerBound) to \(allowed.upperBound)"
      }
    }
    return nil
  }
}
