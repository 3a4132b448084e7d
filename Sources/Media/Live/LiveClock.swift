import Timeline

/// The unit of the times of a live source, and when they start again at zero.
public struct LiveClock: Hashable, Sendable {
  /// Ticks per second.
  public let ticksPerSecond: Int64
  /// The number of bits of the times, which start again at zero.
  public let bits: Int

  init(ticksPerSecond: Int64, bits: Int) {
    self.ticksPerSecond = ticksPerSecond
    self.bits = bits
  }

  /// The clock of sources whose times this process chooses: a frame is a whole number of ticks at every standard rate,
  /// including 24000/1001 and 60, and so is a sample at 48 kHz. Samples at 44.1 kHz are rounded.
  public static let fine = LiveClock(ticksPerSecond: 720_000, bits: 48)
}
