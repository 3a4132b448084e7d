/// How a job handles damaged media that it shows or plays.
public enum DamagePolicy: String, Hashable, Codable, Sendable, CaseIterable {
  /// The job fails, and names the asset and the time.
  case fail
  /// Damaged pictures are shown as the decoder conceals them, missing ones are replaced by the last good one, missing
  /// sound is silent, and the job lists all of them.
  case conceal
}
