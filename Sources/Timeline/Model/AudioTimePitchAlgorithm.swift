/// How the pitch of a sound is handled if it plays at another speed.
public enum AudioTimePitchAlgorithm: String, Hashable, Codable, Sendable, CaseIterable {
  /// The pitch stays as it is, by a phase vocoder.
  case spectral
  /// The pitch rises and falls with the speed, as on a tape.
  case varispeed
}
