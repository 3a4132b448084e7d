import Crypto

extension Farm {
  /// Which of some assets the caller may know of: a submitter those whose bytes it has sent itself, whoever else sent
  /// them too. To name a digest is not to have the asset.
  func visible(_ digests: Set<Digest>, to caller: Caller) throws -> Set<Digest> {
    guard let owner = caller.confinement else { return digests }
    return try digests.filter { try ledger.isOwned($0, by: owner) }
  }

  /// Notes that the caller has sent the bytes of an asset.
  func own(_ digest: Digest, _ caller: Caller) throws {
    if let owner = caller.confinement { try ledger.own(digest, by: owner) }
  }

  /// How many assets the caller has sent.
  func assetCount(of caller: Caller) throws -> Int {
    guard let owner = caller.confinement else { return 0 }
    return try ledger.assetCount(of: owner)
  }
}
