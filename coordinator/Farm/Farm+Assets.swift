import Crypto
import FarmAPI
import Preparation
import Scheduling
import Timeline

extension Farm {
  /// Which of some assets the caller may know of: a submitter those whose bytes it has sent itself, whoever else sent
  /// them too. To name a digest is not to have the asset.
  func visible(_ digests: Set<Digest>, to caller: Caller) throws -> Set<Digest> {
    guard let owner = caller.confinement else { return digests }
    return try digests.filter { try ledger.isOwned($0, by: owner) }
  }

  /// Notes that the caller has sent the bytes of an asset.
  ///
  /// - Throws: ``AssetQuotaError`` if it has no room for them left: another upload came first.
  func own(_ digest: Digest, _ byteCount: Int64, _ caller: Caller) throws {
    guard let owner = caller.confinement else { return }
    try assureQuota(of: owner, for: byteCount, digest)
    try ledger.own(digest, byteCount, by: owner)
  }

  /// Makes sure that a submitter may have a further asset of so many bytes.
  ///
  /// - Parameter unfinished: bytes of its uploads that have not come to their end.
  /// - Throws: ``AssetQuotaError`` if it may not.
  func assureQuota(
    of owner: String, for byteCount: Int64, _ digest: Digest, unfinished: Int64 = 0
  ) throws {
    let used = try ledger.assetByteCount(of: owner, besides: digest) + unfinished
    guard used + byteCount <= assetQuota else {
      throw AssetQuotaError(owner: owner, used: used, needed: byteCount, quota: assetQuota)
    }
  }

  /// Refuses to fetch a further asset for a job whose submitter has as many as it may have.
  ///
  /// - Returns: how many bytes the asset may have, whatever else the submitter has.
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

  /// How many assets the caller has sent.
  func assetCount(of caller: Caller) throws -> Int {
    guard let owner = caller.confinement else { return 0 }
    return try ledger.assetCount(of: owner)
  }
}
