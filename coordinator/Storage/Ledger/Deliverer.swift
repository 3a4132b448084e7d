/// The token that a chunk was delivered with. Contains no secret.
package struct Deliverer: Hashable, Sendable {
  /// The token's id, or `nil` if no token was needed.
  package let token: String?
  package let name: String?
}
