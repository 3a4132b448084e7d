/// The identity of a worker, which stays the same when it registers again.
public struct WorkerIdentity: Hashable, Sendable {
  /// The name that it registers with.
  public var name: String
  /// The id of its token; `nil` if no token is needed.
  public var token: String?

  /// Creates an identity.
  public init(name: String, token: String?) {
    self.name = name
    self.token = token
  }
}
