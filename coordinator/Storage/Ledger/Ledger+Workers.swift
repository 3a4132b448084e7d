import Crypto
import FarmAPI
import SQL
import Scheduling

/// An asset under a media root.
package struct SharedAsset: Hashable, Sendable {
  package let digest: Digest
  package let path: String
  package let byteCount: Int64

  package init(digest: Digest, path: String, byteCount: Int64) {
    self.digest = digest
    self.path = path
    self.byteCount = byteCount
  }
}

extension Ledger {
  /// The workers that were known when the coordinator stopped.
  package func workers() throws -> [WorkerEntry] {
    try database.rows(
      """
      SELECT workers.*, reason FROM workers
      LEFT JOIN distrusted_workers ON distrusted_workers.name = workers.name
        AND distrusted_workers.token IS NOT DISTINCT FROM workers.token
      WHERE is_forgotten = 0 ORDER BY number
      """
    ) { row in
      var worker = WorkerEntry(
        id: WorkerID(rawValue: try row.get("id")), name: try row.get("name"),
        slots: try row.get("slots"), fingerprint: try row.get("fingerprint"),
        memory: try row.get("memory"), isDraining: try row.get("is_draining"),
        token: try row.get("token"), distrust: try row.get("reason"),
        pools: Set(
          (try row.get("pools") as String).split(separator: " ").compactMap {
            PoolName(String($0))
          }),
        priority: try row.get("priority"))
      worker.host = try row.get("host")
      worker.cores = try row.get("cores")
      worker.version = try row.get("version")
      return worker
    }
  }

  /// Records the locations of assets.
  package func keep(_ assets: [SharedAsset]) throws {
    guard !assets.isEmpty else { return }
    try database.transaction {
      for asset in assets {
        try database.run(
          """
          INSERT INTO shared_assets (digest, path, bytes) VALUES (?1, ?2, ?3)
          ON CONFLICT (digest) DO UPDATE SET path = excluded.path, bytes = excluded.bytes
          """, asset.digest.description, asset.path, asset.byteCount)
      }
    }
  }

  /// The location of an asset under a media root, if it is under one.
  package func sharedAsset(_ digest: Digest) throws -> SharedAsset? {
    try database.first("SELECT * FROM shared_assets WHERE digest = ?1", digest.description) {
      SharedAsset(digest: digest, path: try $0.get("path"), byteCount: try $0.get("bytes"))
    }
  }
}
