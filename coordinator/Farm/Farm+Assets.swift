import Crypto
import FarmAPI
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
  func own(_ digest: Digest, _ caller: Caller) throws {
    if let owner = caller.confinement { try ledger.own(digest, by: owner) }
  }

  /// Refuses to fetch a further asset for a job whose submitter has as many as it may have.
  ///
  /// - Returns: how many bytes the asset may have.
  func admitFetch(for id: JobID) throws -> Int64 {
    let limits = limits(of: id)
    if let owner = jobs[id]?.submitter, try ledger.assetCount(of: owner) >= limits.assets {
      throw JobError("limit-reached", "\(owner) has \(limits.assets) assets, which is the limit")
    }
    return Int64(limits.assetBytes)
  }

  /// Keeps what a URL gave for a job: its bytes are those of the job from now on.
  func keep(_ asset: AssetReference, fetchedFrom url: AssetURL, for id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    try ledger.keep(asset, fetchedFrom: url.description, for: id, of: jobs[id]?.submitter)
    jobs[id]?.assets[asset.digest] = asset
    log.info("job \(id): \(url): fetched: \(asset.byteCount) bytes, SHA-256 \(asset.digest)")
  }

  /// How many assets the caller has sent.
  func assetCount(of caller: Caller) throws -> Int {
    guard let owner = caller.confinement else { return 0 }
    return try ledger.assetCount(of: owner)
  }
}
