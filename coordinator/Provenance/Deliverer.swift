/// The token that was shown when a chunk was delivered; nothing of it is secret.
struct Deliverer: Hashable, Sendable {
  /// The token's id; `nil` where no token is needed.
  let token: String?
  /// The token's name.
  let name: String?

  init(_ caller: Caller) {
    token = caller.token
    name = caller.name
  }
}
