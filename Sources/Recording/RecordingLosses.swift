/// The losses of a part of a recording, by cause.
public struct RecordingLosses: Hashable, Codable, Sendable {
  /// Samples before the first keyframe.
  public var beforeStart = 0
  /// Groups of samples that were dropped because the disk was too slow.
  public var droppedGroups = 0
  /// Samples that were left out because bytes of them, or of pictures that they may rely on, did not arrive, or because
  /// their times contradict those of other samples.
  public var damagedSamples = 0

  /// Creates a count of nothing.
  public init() {}

  /// Adds the losses of another part.
  public mutating func add(_ other: RecordingLosses) {
    beforeStart += other.beforeStart
    droppedGroups += other.droppedGroups
    damagedSamples += other.damagedSamples
  }
}
