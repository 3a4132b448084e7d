/// Who a worker is, however often it registers.
public struct WorkerIdentity: Hashable, Sendable {
  /// The name that it registers with.
  public var name: String
  /// The id of the token that it shows; `nil` if no token is needed.
  public var token: String?

  /// An identity from its parts.
  public init(name: String, token: String?) {
    self.name = name
    self.token = token
  }
}
