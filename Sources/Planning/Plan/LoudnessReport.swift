/// The loudness of a mix before and after normalization, by EBU R 128.
public struct LoudnessReport: Hashable, Codable, Sendable {
  /// The target integrated loudness, in LUFS.
  public var target: Double
  /// The integrated loudness before normalization, in LUFS; `nil` if the mix is silent.
  public var before: Double?
  /// The applied gain, in decibels.
  public var gain: Double
  /// The integrated loudness after normalization, in LUFS.
  public var after: Double?
  /// The true peak after normalization, in decibels relative to full scale (dBTP); `nil` for silence.
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
