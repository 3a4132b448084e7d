import Synchronization

/// Ends the lease requests and event streams of tokens that have been revoked.
final class RevocationWatch: Sendable {
  private let farm: Farm
  private let access: Access
  /// The version of the tokens at the last check.
  private let seen = Mutex<Int?>(nil)

  init(farm: Farm, access: Access) {
    self.farm = farm
    self.access = access
  }

  /// Checks every open request if the tokens have changed since the last call.
  func apply() async {
    let version = access.tokensVersion
    let isNew = seen.withLock { seen in
      defer { seen = version }
      return seen != version
    }
    if isNew { await farm.endRevoked() }
  }
}
