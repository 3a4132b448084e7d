extension LiveEncoder {
  /// The settings that are not determined by the source.
  public struct Settings: Hashable, Sendable {
    /// Bits per second of the pictures; `nil` for the default for their size.
    public var videoBitRate: Int?
    /// The number of pictures from one keyframe to the next.
    public var keyframeInterval = 30
    /// Bits per second of the sound.
    public var audioBitRate = 128_000
    /// The number of threads that encode pictures.
    public var threads = 1

    /// Creates the default settings.
    public init() {}
  }
}
