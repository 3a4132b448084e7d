import Timeline

/// How a recording is written.
public struct RecordingSettings: Hashable, Sendable {
  /// The minimum length of a fragment in seconds, unless the recording ends or has a gap. If the disk keeps up, a crash
  /// loses only the fragment that is being written.
  public var fragmentLength = RationalTime(1)
  /// The maximum number of bytes that wait for the disk. If more arrive, whole groups of samples are dropped.
  public var queueLimit = 64 << 20
  /// The maximum size of a group of samples, in bytes. A larger group is divided.
  public var groupLimit = 64 << 20
  /// Whether fragments are flushed to disk before they count as written.
  public var isDurable = true

  /// Creates the default settings.
  public init() {}
}
