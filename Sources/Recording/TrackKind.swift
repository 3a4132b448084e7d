/// The kinds of media that a recording holds.
public enum TrackKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// Pictures.
  case video
  /// Sound.
  case audio
}
