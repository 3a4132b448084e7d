/// News about a job's sound while it is being made.
public enum SoundNews: Hashable, Codable, Sendable {
  /// The parts so far are withdrawn, and no others follow: the sound has to be made in another way, or a part cannot be
  /// written.
  case withdrawn
  /// The next part is complete.
  case part(SoundPart)
}
