/// The kinds of media that a recording holds.
public enum TrackKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// Pictures.
  case video = "video"
  /// Sound.
  case audio = "audio"
}
