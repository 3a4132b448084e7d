/// The loudness of a mix before and after normalisation, by EBU R 128.
public struct LoudnessReport: Hashable, Codable, Sendable {
  /// The integrated loudness asked for, in LUFS.
  public var target: Double
  /// The integrated loudness of the mix as it was, in LUFS; `nil` for one that is silent throughout.
  public var before: Double?
  /// The gain that it was given, in decibels.
  public var gain: Double
  /// The integrated loudness of the mix that was encoded, in LUFS.
  public var after: Double?
  /// The true peak of the mix that was encoded, in decibels of full scale (dBTP); `nil` for silence.
  public var truePeak: Double?
  /// Whether peaks were limited to the ceiling.
  public var isLimited: Bool

  /// Creates a report.
  public init(
    target: Double, before: Double?, gain: Double, after: Double?, truePeak: Double?,
    isLimited: Bool
  ) {
    self.target = target
    self.before = before
    self.gain = gain
    self.after = after
    self.truePeak = truePeak
    self.isLimited = isLimited
  }
}
