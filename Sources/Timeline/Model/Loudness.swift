/// The target loudness of the output, according to EBU R 128.
public struct Loudness: Hashable, Codable, Sendable {
  /// The integrated loudness, in LUFS.
  public var target: Double
  /// The limit on the true peak, in decibels relative to full scale (dBTP).
  public var truePeak: Double

  /// Creates a target loudness.
  public init(target: Double, truePeak: Double = -1) {
    self.target = target
    self.truePeak = truePeak
  }
}
