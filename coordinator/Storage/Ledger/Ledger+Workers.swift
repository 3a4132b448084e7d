import Crypto
import SQLite
import Scheduling

/// An asset under a media root.
struct SharedAsset: Hashable, Sendable {
  let digest: Digest
  let path: String
  let byteCount: Int64
}

extension Ledger {
  /// The workers that were known when the coordinator stopped.
  func workers() throws -> [WorkerEntry] {
    try database.rows(
      """
      SELECT workers.*, reason FROM workers
      LEFT JOIN distrusted_workers ON distrusted_workers.name = workers.name
        AND distrusted_workers.token IS workers.token
      WHERE is_forgotten = 0 ORDER BY number
      """
    ) { row in
      WorkerEntry(
        id: WorkerID(rawValue: try row.get("id")), name: try row.get("name"),
        slots: try row.get("slots"), fingerprint: try row.get("fingerprint"),
        memory: try row.get("memory"), isDraining: try row.get("is_draining"),
        token: try row.get("token"), distrust: try row.get("reason"))
    }
  }

  /// Records the locations of assets.
  func keep(_ assets: [SharedAsset]) throws {
    guard !assets.isEmpty else { return }
    try database.transaction {
      for asset in assets {
        try database.run(
          "INSERT OR REPLACE INTO shared_assets (digest, path, bytes) VALUES (?1, ?2, ?3)",
          asset.digest.description, asset.path, asset.byteCount)
      }
    }
  }

  /// The location of an asset under a media root, if it is under one.
  func sharedAsset(_ digest: Digest) throws -> SharedAsset? {
    try database.first("SELECT * FROM shared_assets WHERE digest = ?1", digest.description) {
      SharedAsset(digest: digest, path: try $0.get("path"), byteCount: try $0.get("bytes"))
    }
  }
}
