import Crypto

extension Plan {
  /// The SHA-256 of the plan's canonical JSON: the job's identity.
  public func hash() throws -> Digest { try CanonicalJSON.digest(of: self) }
}
