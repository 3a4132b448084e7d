/// The data of an event of the kind ``EventKind/removed``: what has gone. One of its members is present.
public struct Removal: Hashable, Codable, Sendable {
  /// The id of a job that was deleted.
  public var job: String?
  /// The id of a worker that must register again, because it has been silent for too long.
  public var worker: String?

  /// Creates the data of an event.
  public init(job: String? = nil, worker: String? = nil) {
    self.job = job
    self.worker = worker
  }
}
