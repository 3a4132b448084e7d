import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Timeline

/// What decides and removes in one step, so that no job can begin to need a file in between.
extension Farm {
  /// Removes those chunks that no job needs, and says how many.
  func removeUnneeded(
    chunks: [StoredFile], _ settings: StorageSettings, at now: Date
  ) throws -> Int {
    let needed = try ledger.chunksToKeep(since: now - settings.keepChunks, settings.chunkBytes)
    let unneeded = chunks.filter {
      !needed.contains($0.digest) && $0.date < now - Retention.youth
    }
    chunkStore.remove(unneeded.map(\.digest))
    try ledger.forget(unneeded.map(\.digest), unusedSince: now - settings.keepChunks)
    try ledger.dropConcealments { !chunkStore.contains($0) }
    return unneeded.count
  }

  /// Removes the records of deliveries that nothing refers to, in ranges; other calls are answered in between.
  func removeUnneededDeliveries() async throws {
    var last = 0
    while let end = try ledger.dropUnneededDeliveries(after: last) {
      last = end
      await Task.yield()
    }
  }

  /// Removes those assets that no job uses and that are old or too many, the oldest first, and says how many.
  func removeUnneeded(
    assets: [StoredFile], _ settings: StorageSettings, at now: Date
  ) throws -> Int {
    let used = try usedAssets(settings, at: now)
    var total = assets.reduce(0) { $0 + $1.byteCount }
    var count = 0
    for asset in assets.sorted(by: { $0.date < $1.date }) where !used.contains(asset.digest) {
      let isOld = asset.date < now - settings.keepAssets
      guard isOld || total > settings.assetBytes, asset.date < now - Retention.youth else {
        continue
      }
      // Workers read a file under a media root by the same block digests.
      let isShared = try ledger.sharedAsset(asset.digest) != nil
      guard
        assetStore.remove(asset.digest, lastUsed: asset.date, keepingBlocks: isShared)
      else { continue }
      try ledger.disown(asset.digest)
      total -= asset.byteCount
      count += 1
    }
    return count
  }

  /// Removes the media indexes of missing assets that no job uses, and returns their number. The index of a file under
  /// a media root is kept as long as an unused asset.
  func removeUnneeded(
    indexes: [StoredFile], of cache: MediaIndexCache, _ settings: StorageSettings, at now: Date
  ) throws -> Int {
    let used = try usedAssets(settings, at: now)
    let unneeded = try indexes.filter { index in
      // Checks only that the file exists: checking its bytes may mean reading all of it.
      guard !used.contains(index.digest),
        AssetStore.size(assetStore.path(of: index.digest)) == nil
      else { return false }
      let isShared = try ledger.sharedAsset(index.digest) != nil
      return index.date < now - (isShared ? settings.keepAssets : Retention.youth)
    }
    for index in unneeded { cache.remove(index.digest) }
    return unneeded.count
  }

  /// The assets that jobs use, or that may be needed for a retry.
  private func usedAssets(_ settings: StorageSettings, at now: Date) throws -> Set<Digest> {
    try ledger.submittedAssets(since: now - settings.keepChunks)
  }

  /// The projects and plans that jobs need.
  func neededDocuments() throws -> (projects: Set<Digest>, plans: Set<Digest>) {
    try ledger.documents()
  }

  /// Removes old block digests of missing assets that no job uses.
  func removeUnneeded(
    blocks: [StoredFile], _ settings: StorageSettings, at now: Date
  ) async throws {
    let old = blocks.filter {
      $0.date < now - settings.keepAssets && AssetStore.size(assetStore.path(of: $0.digest)) == nil
    }
    guard !old.isEmpty else { return }
    var used: Set<Digest> = []
    var seen: Set<JobID> = []
    // A project may name thousands of files, so other calls are answered in between. Jobs may come meanwhile.
    while let id = jobs.keys.first(where: { !seen.contains($0) }) {
      seen.insert(id)
      used.formUnion(try ledger.assets(of: id).map(\.asset.digest))
      used.formUnion(try ledger.leasedBlocks(of: id).keys)
      await Task.yield()
    }
    // An asset may have come meanwhile.
    for list in old
    where !used.contains(list.digest)
      && AssetStore.size(assetStore.path(of: list.digest)) == nil
    {
      assetStore.blocks.remove(list.digest)
    }
  }

  /// The finished files that the ledger knows, and those that were lost: they may be there again.
  func outputs(in data: String) throws -> [ExpectedFile] {
    try ledger.outputs(in: data) + ledger.lostOutputs(in: data)
  }

  /// The names of finished files of jobs that were never completed: such a file was not acknowledged.
  func unfinishedOutputFiles() throws -> Set<String> {
    let names = try ledger.jobsWithoutOutput().flatMap { job in
      FileType.allCases.map { DataDirectory.output(of: job.rawValue, $0, in: "") }
    }
    return Set(names.map { URL(fileURLWithPath: $0).lastPathComponent })
  }
}
