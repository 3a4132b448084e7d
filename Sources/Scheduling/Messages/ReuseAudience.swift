/// Whose chunks a job may have without rendering, and whose jobs may have its chunks.
public enum ReuseAudience: Hashable, Sendable {
  /// Everybody's.
  case anyone
  /// Those of one submitter; of jobs without a submitter if it is `nil`.
  case submitter(String?)
}
