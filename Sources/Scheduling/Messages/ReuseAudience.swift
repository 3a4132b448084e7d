/// The submitters whose jobs may share chunks.
public enum ReuseAudience: Hashable, Sendable {
  /// All submitters.
  case anyone
  /// Only one submitter; `nil` stands for jobs without a submitter.
  case submitter(String?)
}
