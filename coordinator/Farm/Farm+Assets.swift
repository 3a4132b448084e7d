import Crypto
import FarmAPI
import Preparation
import Scheduling
import Timeline

extension Farm {
  /// The assets in `digests` that the caller may know about. A submitter may know only about assets whose bytes it has
  /// sent: knowing a digest grants no access.
  func visible(_ digests: Set<Digest>, to caller: Caller) throws -> Set<Digest> {
    guard let owner = caller.confinement else { return digests }
    return try digests.filter { try ledger.isOwned($0, by: owner) }
  }

  /// Records that the caller has sent the bytes of an asset.
  ///
  /// - Throws: ``AssetQuotaError`` if another upload used up the quota in the meantime.
  func own(_ digest: Digest, _ byteCount: Int64, _ caller: Caller) throws {
    guard let owner = caller.confinement else { return assetStore.confirm(digest) }
    do {
      try assureQuota(of: owner, for: byteCount, digest)
      try ledger.own(digest, byteCount, by: owner)
    } catch {
      withdraw(digest)
      throw error
    }
    assetStore.confirm(digest)
  }

  /// Withdraws an asset from the store because its submitter may not own it.
  func withdraw(_ digest: Digest) {
    // If the ledger cannot be read, the block digests stay: a file under a media root may need them.
    let isShared = (try? ledger.sharedAsset(digest) != nil) ?? true
    assetStore.withdraw(digest, keepingBlocks: isShared)
  }

  /// Handles an asset that was moved from the store to the quarantine. Unless it has been uploaded again since, its
  /// owners lose it and the jobs that need it fail.
  func loseStored(_ digest: Digest, because reason: String) {
    guard !assetStore.contains(digest) else { return }
    do { try ledger.disown(digest) } catch {
      log.error("cannot remove its owners from the ledger: \(error)", .asset(digest))
    }
    lose(digest, because: .damaged(reason), isStored: true)
  }

  /// Checks that a submitter's quota has room for another asset of the given size.
  ///
  /// - Parameters:
  ///   - unfinished: the bytes of the submitter's unfinished uploads.
  ///   - job: the job that fetches the asset, if any. The job keeps the quota that it was accepted under.
  /// - Throws: ``AssetQuotaError`` if there is not enough room.
  func assureQuota(
    of owner: String, for byteCount: Int64, _ digest: Digest, unfinished: Int64 = 0,
    fetchedBy job: JobID? = nil
  ) throws {
    let quota = job.map { assetQuota(of: $0) } ?? assetQuota
    let used = try ledger.assetByteCount(of: owner, besides: digest) + unfinished
    guard used + byteCount <= quota else {
      throw AssetQuotaError(owner: owner, used: used, needed: byteCount, quota: quota)
    }
  }

  /// The quota of a job's submitter: the one that the job was accepted under, or the current one if that is larger.
  private func assetQuota(of id: JobID) -> Int64 {
    limits(of: id).assetBytesPerSubmitter.map { Int64($0) } ?? assetQuota
  }

  /// Checks, before an asset is fetched, that the job's submitter may have another one.
  ///
  /// - Parameter known: the asset that the job got from this URL before. It is not counted again.
  /// - Returns: the size limit of the asset: the rest of the submitter's quota, or the limit on a single asset if that
  ///   is smaller.
  func admitFetch(
    of url: AssetURL, _ known: AssetReference?, for id: JobID
  ) throws -> FetchLimit {
    let limits = limits(of: id)
    let ofAssets = FetchLimit(ofAssets: Int64(limits.assetBytes))
    guard let owner = jobs[id]?.submitter else { return ofAssets }
    let assetQuota = self.assetQuota(of: id)
    if try ledger.assetCount(of: owner) >= limits.assets {
      throw JobError(
        .limitReached,
        "\(owner) already has \(limits.assets) assets, which is the limit: wait until unused "
          + "assets are removed, or ask the operator to raise the limit")
    }
    var used = try ledger.assetByteCount(of: owner, besides: known?.digest)
    if known == nil, assetQuota - used < ofAssets.byteCount {
      // The URL probably delivers the same asset as for an earlier job.
      let earlier = try ledger.fetchedAsset(from: url.description, by: owner)
      used = try ledger.assetByteCount(of: owner, besides: earlier)
    }
    let quota = AssetQuotaError(owner: owner, used: used, needed: nil, quota: assetQuota)
    guard used < assetQuota else { throw JobError(.limitReached, "\(quota)") }
    let rest = assetQuota - used
    return rest < ofAssets.byteCount ? FetchLimit(rest: rest, of: quota) : ofAssets
  }

  /// Records the asset that a URL delivered for a job. The job uses these bytes from now on.
  func keep(_ asset: AssetReference, fetchedFrom url: AssetURL, for id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    if let owner = jobs[id]?.submitter {
      do {
        try assureQuota(
          of: owner, for: asset.byteCount, asset.digest, fetchedBy: id)
      } catch let error as AssetQuotaError {
        throw JobError(.limitReached, "\(url.shown): \(error)")
      }
    }
    try ledger.keep(asset, fetchedFrom: url.description, for: id, of: jobs[id]?.submitter)
    assetStore.confirm(asset.digest)
    log.info("\(url): fetched: \(asset.byteCount) bytes, SHA-256 \(asset.digest)", .job(id))
  }

  /// Records that assets of a job are being fetched or hashed: the job becomes `planning`, unless it has a plan.
  ///
  /// - Returns: whether the job has a plan.
  func beginSupply(of id: JobID) throws -> Bool {
    guard try planFile(of: id) == nil else { return true }
    try write([.jobAdvanced(id, .planning)])
    changed(id)
    return false
  }

  /// Checks that the submitter's quota has room for what planning made for a job: the pictures of its layers and the
  /// excerpts of recordings. Other calls are answered in between.
  func assureQuota(forPictures pictures: [AssetReference], of id: JobID) async throws {
    try Task.checkCancellation()
    guard !pictures.isEmpty, let owner = jobs[id]?.submitter else { return }
    var byteCount: Int64 = 0
    for first in stride(from: 0, to: pictures.count, by: Self.pictureBatch) {
      for picture in pictures[first..<min(first + Self.pictureBatch, pictures.count)] {
        let isOwned = try ledger.isOwned(picture.digest, by: owner)
        if !isOwned { byteCount += picture.byteCount }
      }
      await Task.yield()
      try Task.checkCancellation()
    }
    let assetQuota = self.assetQuota(of: id)
    let used = try ledger.assetByteCount(of: owner)
    guard byteCount == 0 || used + byteCount <= assetQuota else {
      let quota = AssetQuotaError(owner: owner, used: used, needed: nil, quota: assetQuota)
      throw JobError(
        .limitReached,
        "the pictures of layers and the excerpts of recordings take \(byteCount) bytes, and \(quota)"
      )
    }
  }

  /// Records that the pictures of a job's layers and the excerpts of recordings are assets of its submitter. Other calls
  /// are answered in between.
  func own(pictures: [AssetReference], of id: JobID) async throws {
    try await assureQuota(forPictures: pictures, of: id)
    guard let owner = jobs[id]?.submitter else { return }
    for first in stride(from: 0, to: pictures.count, by: Self.pictureBatch) {
      try Task.checkCancellation()
      try write([])
      try ledger.own(
        pictures[first..<min(first + Self.pictureBatch, pictures.count)], by: owner)
      await Task.yield()
    }
  }

  /// The number of pictures that one call looks up or stores.
  private static let pictureBatch = 500

  /// The number of assets that the caller has sent.
  func assetCount(of caller: Caller) throws -> Int {
    guard let owner = caller.confinement else { return 0 }
    return try ledger.assetCount(of: owner)
  }
}
