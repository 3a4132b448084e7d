/// The handling of damaged media that a job shows or plays.
public enum DamagePolicy: String, Hashable, Codable, Sendable, CaseIterable {
  /// The job fails and reports the asset and the time.
  case fail = "fail"
  /// Damaged pictures are shown as the decoder conceals them, missing ones are replaced by the last good one, and
  /// missing sound is silent. The job lists all of them.
  case conceal = "conceal"
}
