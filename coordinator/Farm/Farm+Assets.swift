import Crypto
import FarmAPI
import Preparation
import Scheduling
import Timeline

extension Farm {
  /// The assets among `digests` that the caller may know of. A submitter may know of those whose bytes it has sent
  /// itself: knowing a digest gives no access.
  func visible(_ digests: Set<Digest>, to caller: Caller) throws -> Set<Digest> {
    guard let owner = caller.confinement else { return digests }
    return try digests.filter { try ledger.isOwned($0, by: owner) }
  }

  /// Records that the caller has sent the bytes of an asset.
  ///
  /// - Throws: ``AssetQuotaError`` if another upload used up the quota in the meantime.
  func own(_ digest: Digest, _ byteCount: Int64, _ caller: Caller) throws {
    guard let owner = caller.confinement else { return }
    try assureQuota(of: owner, for: byteCount, digest)
    try ledger.own(digest, byteCount, by: owner)
  }

  /// Checks that a submitter's quota has room for another asset of the given size.
  ///
  /// - Parameter unfinished: the bytes of the submitter's unfinished uploads.
  /// - Throws: ``AssetQuotaError`` if it has none.
  func assureQuota(
    of owner: String, for byteCount: Int64, _ digest: Digest, unfinished: Int64 = 0
  ) throws {
    let used = try ledger.assetByteCount(of: owner, besides: digest) + unfinished
    guard used + byteCount <= assetQuota else {
      throw AssetQuotaError(owner: owner, used: used, needed: byteCount, quota: assetQuota)
    }
  }

  /// Checks that the submitter of a job may have another asset, before one is fetched.
  ///
  /// - Returns: the size limit of the asset in bytes, regardless of the submitter's other assets.
  func admitFetch(for id: JobID) throws -> Int64 {
    let limits = limits(of: id)
    if let owner = jobs[id]?.submitter, try ledger.assetCount(of: owner) >= limits.assets {
      throw JobError("limit-reached", "\(owner) has \(limits.assets) assets, which is the limit")
    }
    guard let owner = jobs[id]?.submitter else { return Int64(limits.assetBytes) }
    let used = try ledger.assetByteCount(of: owner)
    guard used < assetQuota else {
      throw JobError(
        "limit-reached",
        "\(AssetQuotaError(owner: owner, used: used, needed: nil, quota: assetQuota))")
    }
    return Int64(limits.assetBytes)
  }

  /// Keeps what a URL gave for a job: its bytes are those of the job from now on.
  func keep(_ asset: AssetReference, fetchedFrom url: AssetURL, for id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    if let owner = jobs[id]?.submitter {
      do {
        try assureQuota(of: owner, for: asset.byteCount, asset.digest)
      } catch let error as AssetQuotaError {
        throw JobError("limit-reached", "\(url.shown): \(error)")
      }
    }
    try ledger.keep(asset, fetchedFrom: url.description, for: id, of: jobs[id]?.submitter)
    log.info("job \(id): \(url): fetched: \(asset.byteCount) bytes, SHA-256 \(asset.digest)")
  }

  /// The number of assets that the caller has sent.
  func assetCount(of caller: Caller) throws -> Int {
    guard let owner = caller.confinement else { return 0 }
    return try ledger.assetCount(of: owner)
  }
}
