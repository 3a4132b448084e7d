import Scheduling

/// How a job shares finished mixes.
struct MixSharing: Hashable, Sendable {
  /// The submitters whose jobs may use its mix, and whose mixes it may use.
  let audience: ReuseAudience
  /// Whether it may use the mix of an earlier job.
  let mayReuse: Bool
}
