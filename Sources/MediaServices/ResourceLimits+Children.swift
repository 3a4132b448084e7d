import Confinement

/// What the coordinator's media processes may use.
extension ResourceLimits {
  /// Reading packets: a whole film takes seconds. It writes nothing but its answer and messages.
  static let probe = ResourceLimits(memory: 4 << 30, fileSize: 64 << 20, processorTime: 1800)
  /// Drawing letters and pictures, a few seconds' work.
  static let typeset = ResourceLimits(memory: 4 << 30, fileSize: 1 << 30, processorTime: 60)
  /// Decoding sound, an hour of it in well under a minute; but an hour that plays at another speed and keeps its pitch
  /// takes some ten minutes, and six times that where it is measured again and again for its loudness.
  static let mix = ResourceLimits(memory: 4 << 30, fileSize: 16 << 30, processorTime: 28_800)
  /// Copying packets.
  static let assemble = ResourceLimits(
    memory: 4 << 30, fileSize: 4 << 40, processorTime: 14400)
}
