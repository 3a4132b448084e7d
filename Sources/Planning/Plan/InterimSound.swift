/// The sound of a job's stream if the job follows a recording.
///
/// The sound of the file is mixed once, at the end. Until then, players hear an *interim mix*, which is made piece by piece
/// from what is recorded.
public enum InterimSound: String, Hashable, Codable, Sendable, CaseIterable {
  /// The project has no sound.
  case none = "none"
  /// Players hear an interim mix.
  case mixed = "mixed"
  /// Players hear nothing until the sound of the file is mixed, because a recording, or more than a
  /// minute of other sound, plays at another speed. Sound at another speed can be made only from its beginning.
  case pending = "pending"
}
