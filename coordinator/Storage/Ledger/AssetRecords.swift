import Crypto
import FarmAPI
import Scheduling

/// The ledger's records of assets, their owners and the places that they came from.
package protocol AssetRecords {
  /// Whether a submitter has sent the bytes of an asset.
  func isOwned(_ digest: Digest, by owner: String) throws -> Bool

  /// Records that a submitter has sent the bytes of an asset.
  func own(_ digest: Digest, _ byteCount: Int64, by owner: String) throws

  /// Records that a submitter owns several assets.
  func own(_ assets: some Sequence<AssetReference>, by owner: String) throws

  /// Removes all owners of an asset that was removed.
  ///
  /// The rows are in order of their owners. There are few owners, so each owner's row is looked up: reading all rows
  /// would take long if there are a million.
  func disown(_ digest: Digest) throws

  /// Removes all owners of several assets in one transaction.
  func disown(_ digests: [Digest]) throws

  /// The total size of a submitter's assets, in bytes.
  ///
  /// - Parameter digest: an asset that is not counted.
  func assetByteCount(of owner: String, besides digest: Digest?) throws -> Int64

  /// Adds the sizes of assets that an earlier version recorded without one.
  ///
  /// - Parameter size: returns the size of an asset in bytes.
  func measureAssets(_ size: (Digest) -> Int64) throws

  /// Records the asset that a URL delivered for a job. The job's submitter owns it from then on.
  func keep(
    _ asset: AssetReference, fetchedFrom url: String, for job: JobID, of owner: String?
  ) throws

  /// The assets that were fetched from URLs for a job.
  func fetchedAssets(of job: JobID) throws -> [String: AssetReference]

  /// The asset that a URL delivered most recently for a job of a submitter.
  func fetchedAsset(from url: String, by submitter: String) throws -> Digest?

  /// The number of a submitter's assets.
  func assetCount(of owner: String) throws -> Int
}
