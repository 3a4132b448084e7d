import Timeline

/// The report on a job's audio mix.
public struct MixReport: Hashable, Codable, Sendable {
  /// The loudness before and after, if the project sets one.
  public var loudness: LoudnessReport?
  /// The damaged sound that was made silent.
  public var concealments: [Concealment]
  /// The peaks of the mix; `nil` if any of the sound was copied.
  public var waveform: Waveform?
  /// The length of the sound that was copied, in seconds; `nil` if all of it was encoded.
  public var copied: RationalTime?

  /// Creates a report.
  public init(
    loudness: LoudnessReport? = nil, concealments: [Concealment] = [], waveform: Waveform? = nil,
    copied: RationalTime? = nil
  ) {
    self.copied = copied
    self.waveform = waveform
    self.loudness = loudness
    self.concealments = concealments
  }
}
