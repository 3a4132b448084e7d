/// The body of `PUT /jobs/{id}/priority`.
public struct JobPriority: Hashable, Codable, Sendable {
  /// The job's new priority, within ``JobSubmission/priorities``. Jobs of a higher priority are rendered before all others.
  public var priority: Int

  /// Creates a body.
  public init(priority: Int) { self.priority = priority }
}
