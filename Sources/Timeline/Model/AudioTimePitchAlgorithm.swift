/// How the pitch of audio is handled if its speed changes.
public enum AudioTimePitchAlgorithm: String, Hashable, Codable, Sendable, CaseIterable {
  /// A phase vocoder keeps the pitch.
  case spectral = "spectral"
  /// The pitch rises and falls with the speed, as on a tape.
  case varispeed = "varispeed"
}
