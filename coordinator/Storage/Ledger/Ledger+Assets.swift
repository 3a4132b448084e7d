import Crypto
import FarmAPI
import SQL
import Scheduling

extension Ledger {
  /// Whether a submitter has sent the bytes of an asset.
  package func isOwned(_ digest: Digest, by owner: String) throws -> Bool {
    try database.first(
      "SELECT 1 AS found FROM asset_owners WHERE owner = ?1 AND digest = ?2", owner,
      digest.description
    ) { try $0.get("found") as Int } != nil
  }

  /// Records that a submitter has sent the bytes of an asset.
  package func own(_ digest: Digest, _ byteCount: Int64, by owner: String) throws {
    try database.run(
      """
      INSERT INTO asset_owners (owner, digest, bytes) VALUES (?1, ?2, ?3)
      ON CONFLICT (owner, digest) DO UPDATE SET bytes = excluded.bytes
      """, owner, digest.description, byteCount)
  }

  /// Records that a submitter owns several assets.
  package func own(_ assets: some Sequence<AssetReference>, by owner: String) throws {
    try database.transaction {
      for asset in assets { try own(asset.digest, asset.byteCount, by: owner) }
    }
  }

  /// Removes all owners of an asset that was removed.
  ///
  /// The rows are in order of their owners. There are few owners, so each owner's row is looked up: reading all rows
  /// would take long if there are a million.
  package func disown(_ digest: Digest) throws {
    try database.run(
      """
      WITH RECURSIVE owners (owner) AS (
        SELECT min(owner) FROM asset_owners
        UNION ALL
        SELECT (SELECT min(owner) FROM asset_owners WHERE owner > owners.owner) FROM owners
        WHERE owners.owner IS NOT NULL)
      DELETE FROM asset_owners WHERE owner IN (SELECT owner FROM owners) AND digest = ?1
      """, digest.description)
  }

  /// Removes all owners of several assets in one transaction.
  package func disown(_ digests: [Digest]) throws {
    guard !digests.isEmpty else { return }
    try database.transaction {
      for digest in digests { try disown(digest) }
    }
  }

  /// The total size of a submitter's assets, in bytes.
  ///
  /// - Parameter digest: an asset that is not counted.
  package func assetByteCount(of owner: String, besides digest: Digest? = nil) throws -> Int64 {
    try database.first(
      """
      SELECT coalesce(sum(bytes), 0) AS bytes FROM asset_owners
      WHERE owner = ?1 AND digest IS DISTINCT FROM ?2
      """, owner, digest?.description
    ) { try $0.get("bytes") } ?? 0
  }

  /// Adds the sizes of assets that an earlier version recorded without one.
  ///
  /// - Parameter size: returns the size of an asset in bytes.
  package func measureAssets(_ size: (Digest) -> Int64) throws {
    let unmeasured = try database.rows(
      "SELECT DISTINCT digest FROM asset_owners WHERE bytes IS NULL"
    ) { Digest(hex: try $0.get(0) as String) }.compactMap(\.self)
    guard !unmeasured.isEmpty else { return }
    try database.transaction {
      for digest in unmeasured {
        try database.run(
          "UPDATE asset_owners SET bytes = ?2 WHERE digest = ?1", digest.description, size(digest))
      }
    }
  }

  /// Records the asset that a URL delivered for a job. The job's submitter owns it from then on.
  package func keep(
    _ asset: AssetReference, fetchedFrom url: String, for job: JobID, of owner: String?
  ) throws {
    try database.transaction {
      // PostgreSQL has no unique index of URLs, which may be too long for one.
      try database.run(
        "DELETE FROM fetched_assets WHERE job = ?1 AND url = ?2", job.rawValue, url)
      try database.run(
        "INSERT INTO fetched_assets (job, url, digest, bytes) VALUES (?1, ?2, ?3, ?4)",
        job.rawValue, url, asset.digest.description, asset.byteCount)
      if let owner { try own(asset.digest, asset.byteCount, by: owner) }
    }
  }

  /// The assets that were fetched from URLs for a job.
  package func fetchedAssets(of job: JobID) throws -> [String: AssetReference] {
    var assets: [String: AssetReference] = [:]
    try database.each("SELECT * FROM fetched_assets WHERE job = ?1", job.rawValue) { row in
      guard let digest = Digest(hex: try row.get("digest") as String) else { return }
      assets[try row.get("url")] = AssetReference(
        digest: digest, byteCount: try row.get("bytes"))
    }
    return assets
  }

  /// The asset that a URL delivered most recently for a job of a submitter.
  package func fetchedAsset(from url: String, by submitter: String) throws -> Digest? {
    try database.first(
      """
      SELECT digest FROM fetched_assets JOIN jobs ON jobs.id = fetched_assets.job
      WHERE url = ?1 AND submitter = ?2 ORDER BY jobs.number DESC LIMIT 1
      """, url, submitter
    ) { Digest(hex: try $0.get("digest") as String) } ?? nil
  }

  /// The number of a submitter's assets.
  package func assetCount(of owner: String) throws -> Int {
    try database.first(
      "SELECT count(*) AS count FROM asset_owners WHERE owner = ?1", owner
    ) { try $0.get("count") } ?? 0
  }
}
