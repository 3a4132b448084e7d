import Timeline

/// How a recording is written.
public struct RecordingSettings: Hashable, Sendable {
  /// The shortest fragment in seconds, unless the recording ends or has a gap. A crash loses at most the fragment that
  /// is being written.
  public var fragmentLength = RationalTime(1)
  /// The most bytes that wait for the disk. If more arrive, whole groups of samples are dropped.
  public var queueLimit = 64 << 20
  /// The most bytes of a group of samples. A longer one is divided.
  public var groupLimit = 64 << 20
  /// Whether fragments are brought to the disk before they count as written.
  public var isDurable = true

  /// Creates the usual settings.
  public init() {}
}
