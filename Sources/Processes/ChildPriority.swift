/// How much processor time a child gets while others want it too.
public enum ChildPriority: Sendable {
  /// As much as its parent.
  case same
  /// Less than its parent, by a niceness of 5. Children compute, and their parents answer calls and send heartbeats, which
  /// must not wait for them.
  case lower
  /// What the other processes of the host leave (`SCHED_IDLE`).
  case idle
}
