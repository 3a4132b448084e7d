/// How much processor time a child gets while others want it too.
public enum ChildPriority: Sendable {
  /// As much as its parent.
  case same
  /// Less than its parent, by a niceness of 5. Children compute, and their parents answer calls and send heartbeats, which
  /// must not wait for them.
  case lower
  /// Hardly any while other processes of its control group, such as a container or a service, want it (`SCHED_IDLE`). A
  /// niceness of 19 if the system does not permit that.
  case idle
}
