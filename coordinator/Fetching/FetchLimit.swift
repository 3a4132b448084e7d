import FarmAPI
import Preparation

/// The size limit of an asset that is fetched.
struct FetchLimit: Sendable {
  let byteCount: Int64
  /// The error of a larger asset.
  let error: JobError

  /// The limit of any asset.
  init(ofAssets byteCount: Int64) {
    self.byteCount = byteCount
    error = JobError(
      JobError.assetTooLarge,
      "it has more than \(byteCount) bytes, which is the limit (--max-asset-bytes)")
  }

  /// The rest of a submitter's quota.
  init(rest byteCount: Int64, of quota: AssetQuotaError) {
    self.byteCount = byteCount
    error = JobError(JobError.limitReached, "it has more than \(byteCount) bytes, and \(quota)")
  }
}
