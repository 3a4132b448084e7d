import FarmAPI
import Preparation

/// The size limit of an asset that is fetched.
struct FetchLimit: Sendable {
  let byteCount: Int64
  /// The error for a larger asset.
  let error: JobError

  /// Creates the limit for any asset.
  init(ofAssets byteCount: Int64) {
    self.byteCount = byteCount
    error = JobError(
      .assetTooLarge,
      "the file is larger than the limit of \(byteCount) bytes (--max-asset-bytes)")
  }

  /// Creates a limit from the rest of a submitter's quota.
  init(rest byteCount: Int64, of quota: AssetQuotaError) {
    self.byteCount = byteCount
    error = JobError(
      .limitReached, "the file exceeds the \(byteCount) bytes left in the quota: \(quota)")
  }
}
