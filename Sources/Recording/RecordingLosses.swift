/// The losses of a part of a recording, by cause.
public struct RecordingLosses: Hashable, Codable, Sendable {
  /// Samples before the first keyframe.
  public var beforeStart = 0
  /// Groups of samples that were dropped because the disk or the encoder was too slow.
  public var droppedGroups = 0
  /// Samples that were left out because some of their bytes did not arrive, because they may depend on pictures that
  /// were left out, or because their times contradict those of other samples.
  public var damagedSamples = 0

  /// Creates a count without losses.
  public init() {}

  /// Adds the losses of another part.
  public mutating func add(_ other: RecordingLosses) {
    beforeStart += other.beforeStart
    droppedGroups += other.droppedGroups
    damagedSamples += other.damagedSamples
  }
}
