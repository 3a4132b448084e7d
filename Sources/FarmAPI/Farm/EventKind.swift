/// The kind of an event in a stream, sent as its `event`. It determines the type of the event's data.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
  /// A job was added or has changed: a ``JobStatus`` as in lists.
  case job = "job"
  /// A worker has registered or has changed: a ``WorkerStatus``.
  case worker = "worker"
  /// A job was deleted or a worker is gone: a ``Removal``.
  case removed = "removed"
}
