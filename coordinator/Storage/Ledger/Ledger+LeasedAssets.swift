import Crypto
import FarmAPI
import Foundation
import SQL
import Scheduling

/// The assets that workers read for running jobs. A job may have thousands.
extension Ledger {
  /// Records assets that workers read for a job.
  package func keep(_ assets: some Sequence<LeasedAsset>, leasedFor id: JobID) throws {
    try database.transaction {
      for asset in assets {
        try database.run(
          """
          INSERT INTO leased_assets (job, digest, bytes, path, blocks) VALUES (?1, ?2, ?3, ?4, ?5)
          ON CONFLICT (job, digest) DO UPDATE
            SET bytes = excluded.bytes, path = excluded.path, blocks = excluded.blocks
          """, id.rawValue, asset.digest.description, asset.reference.byteCount,
          asset.reference.path, asset.blocks.description)
      }
    }
  }

  /// Removes the assets of a job that has ended or is being planned again.
  package func dropLeasedAssets(of id: JobID) throws {
    try database.run("DELETE FROM leased_assets WHERE job = ?1", id.rawValue)
  }

  /// The assets that a worker reads for a segment, if recorded, in the segment's order.
  package func leasedAssets(of segment: SegmentID) throws -> [LeasedAsset] {
    let digests = try assets(of: segment).map(\.description)
    return try database.rows(
      """
      SELECT digest, bytes, leased_assets.path AS path, blocks 
      FROM \(database.dialect.elements("?2", "named"))
      JOIN leased_assets ON job = ?1 AND digest = named.value ORDER BY named.key
      """, segment.job.rawValue, String(decoding: FarmCoding.encode(digests), as: UTF8.self),
      as: Self.leasedAsset
    ).compactMap(\.self)
  }

  /// The digests of the block digests of a job's recorded assets, by asset.
  package func leasedBlocks(of id: JobID) throws -> [Digest: Digest] {
    var blocks: [Digest: Digest] = [:]
    try database.each("SELECT * FROM leased_assets WHERE job = ?1", id.rawValue) { row in
      guard let asset = try Self.leasedAsset(row) else { return }
      blocks[asset.digest] = asset.blocks
    }
    return blocks
  }

  /// Whether workers read an asset for a job.
  package func isLeased(_ asset: Digest, for id: JobID) throws -> Bool {
    try database.first(
      "SELECT 1 AS found FROM leased_assets WHERE job = ?1 AND digest = ?2", id.rawValue,
      asset.description
    ) { try $0.get("found") as Int } != nil
  }

  private static func leasedAsset(_ row: borrowing Row) throws -> LeasedAsset? {
    guard let digest = Digest(hex: try row.get("digest") as String),
      let blocks = Digest(hex: try row.get("blocks") as String)
    else { return nil }
    return LeasedAsset(
      AssetReference(digest: digest, byteCount: try row.get("bytes"), path: try row.get("path")),
      blocks: blocks)
  }
}
