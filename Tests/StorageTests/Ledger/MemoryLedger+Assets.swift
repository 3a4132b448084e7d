import CoordinatorSupport
import Crypto
import FarmAPI
import Scheduling
import sheaf_coordinator

/// Assets and workers.
extension MemoryLedger {
  func isOwned(_ digest: Digest, by owner: String) -> Bool {
    records.owned[owner]?[digest] != nil
  }

  func own(_ digest: Digest, _ byteCount: Int64, by owner: String) throws {
    try change { $0.owned[owner, default: [:]][digest] = byteCount }
  }

  func own(_ assets: some Sequence<AssetReference>, by owner: String) throws {
    try change { records in
      for asset in assets { records.owned[owner, default: [:]][asset.digest] = asset.byteCount }
    }
  }

  func disown(_ digest: Digest) throws { try disown([digest]) }

  func disown(_ digests: [Digest]) throws {
    try change { records in
      records.owned = records.owned.mapValues { $0.filter { !digests.contains($0.key) } }
    }
  }

  func assetByteCount(of owner: String, besides digest: Digest?) -> Int64 {
    (records.owned[owner] ?? [:]).reduce(0) { $0 + ($1.key == digest ? 0 : $1.value) }
  }

  // Every asset has a size.
  func measureAssets(_ size: (Digest) -> Int64) {}

  func keep(
    _ asset: AssetReference, fetchedFrom url: String, for job: JobID, of owner: String?
  ) throws {
    try change { records in
      records.jobs[job]?.fetched[url] = AssetReference(
        digest: asset.digest, byteCount: asset.byteCount)
      if let owner { records.owned[owner, default: [:]][asset.digest] = asset.byteCount }
    }
  }

  func fetchedAssets(of job: JobID) -> [String: AssetReference] {
    records.jobs[job]?.fetched ?? [:]
  }

  func fetchedAsset(from url: String, by submitter: String) -> Digest? {
    let jobs = records.orderedJobs.filter { $0.submitter == submitter }
    return jobs.compactMap { $0.fetched[url]?.digest }.last
  }

  func assetCount(of owner: String) -> Int { records.owned[owner]?.count ?? 0 }

  func workers() -> [WorkerEntry] {
    let records = records
    return records.workers.filter { !$0.isForgotten }.map { worker in
      var entry = worker.entry
      entry.distrust = records.distrusted.first { $0.worker == entry.identity }?.reason
      return entry
    }
  }

  func keep(_ assets: [SharedAsset]) throws {
    try change { records in
      for asset in assets { records.shared[asset.digest] = asset }
    }
  }

  func sharedAsset(_ digest: Digest) -> SharedAsset? { records.shared[digest] }
}
