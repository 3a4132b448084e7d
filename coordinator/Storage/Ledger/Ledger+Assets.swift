import Crypto
import SQLite

extension Ledger {
  /// Whether somebody has sent the bytes of an asset.
  func isOwned(_ digest: Digest, by owner: String) throws -> Bool {
    try database.first(
      "SELECT 1 AS found FROM asset_owners WHERE owner = ?1 AND digest = ?2", owner,
      digest.description
    ) { try $0.get("found") as Int } != nil
  }

  /// Notes that somebody has sent the bytes of an asset.
  func own(_ digest: Digest, by owner: String) throws {
    try database.run(
      "INSERT OR IGNORE INTO asset_owners (digest, owner) VALUES (?1, ?2)", digest.description,
      owner)
  }

  /// How many assets somebody has sent.
  func assetCount(of owner: String) throws -> Int {
    try database.first(
      "SELECT count(*) AS count FROM asset_owners WHERE owner = ?1", owner
    ) { try $0.get("count") } ?? 0
  }
}
