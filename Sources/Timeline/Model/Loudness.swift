/// How loud the sound of the output is to be, by EBU R 128.
public struct Loudness: Hashable, Codable, Sendable {
  /// The integrated loudness, in LUFS.
  public var target: Double
  /// What the true peak is to stay below, in decibels of full scale (dBTP).
  public var truePeak: Double

  /// A loudness from its parts.
  public init(target: Double, truePeak: Double = -1) {
    self.target = target
    self.truePeak = truePeak
  }
}
