import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Timeline

/// A chunk that no job needed when the ledger was read.
struct UnneededChunk: Hashable, Sendable {
  let digest: Digest
  /// Its uses in the ledger, all of which are expired: the jobs ended long ago, or the limit on kept bytes is exceeded.
  let uses: [ChunkUse]
}

/// Removes files that a snapshot of the ledger shows as unneeded.
///
/// Each call removes its files in slices and answers other calls in between. For each slice, a single step checks again
/// that nothing needs the files, and removes them. The checks use indexes.
extension Farm {
  /// The number of files that are checked and removed in one step.
  private static let sliceSize = 100

  /// Removes the chunks whose uses in the ledger have not changed since it was read, and returns how many it removed.
  ///
  /// Whatever begins to need a chunk changes the chunk's uses in the same step in which it finds the file: accepting or
  /// holding a delivery, ending an audit, sharing or reusing a chunk. Retrying a job, or losing a completed job's file,
  /// changes them through the job's state and end. If the file was removed first, a delivery is refused and repeated, a
  /// retried job renders the segment again, and no chunk is reused.
  func removeUnneeded(chunks: [UnneededChunk]) async throws -> Int {
    var count = 0
    for first in stride(from: 0, to: chunks.count, by: Self.sliceSize) {
      try await letOthersIn()
      let unneeded = try chunks[first..<min(first + Self.sliceSize, chunks.count)].filter {
        try ledger.uses(of: $0.digest) == $0.uses
      }
      chunkStore.remove(unneeded.map(\.digest))
      try ledger.forget(unneeded.map(\.digest))
      count += unneeded.count
    }
    return count
  }

  /// Removes the records of kept chunks that were not used since a date, of damaged media in missing chunks, and of
  /// deliveries that nothing refers to, in ranges. Other calls are answered in between.
  func removeUnneededRecords(unusedSince date: Date) async throws {
    while try ledger.dropKeptChunks(unusedSince: date) { try await letOthersIn() }
    var lastChunk = ""
    while let end = try ledger.dropConcealments(
      after: lastChunk, where: { !chunkStore.contains($0) })
    {
      lastChunk = end
      try await letOthersIn()
    }
    var lastDelivery = 0
    while let end = try ledger.dropUnneededDeliveries(after: lastDelivery) {
      lastDelivery = end
      try await letOthersIn()
    }
  }

  /// Removes assets that are too old or too many, and returns how many it removed.
  ///
  /// - Parameters:
  ///   - assets: the assets that no job used when the ledger was read, the oldest first.
  ///   - total: the size of all assets of the store in bytes.
  ///   - known: the jobs whose assets are not among them.
  func removeUnneeded(
    assets: [StoredFile], of total: Int64, besides known: Set<JobID>, _ settings: StorageSettings,
    at now: Date
  ) async throws -> Int {
    var total = total
    var count = 0
    try await forEachSlice(of: assets, besides: known) { slice in
      var removed: [Digest] = []
      // Also runs if the ledger fails in between: a removed asset must not count against its owners' quotas.
      defer { disown(removed) }
      for asset in slice
      where asset.date < now - settings.keepAssets || total > settings.assetBytes {
        // Workers check a file under a media root with the same block digests.
        let isShared = try ledger.sharedAsset(asset.digest) != nil
        guard
          assetStore.remove(asset.digest, lastUsed: asset.date, keepingBlocks: isShared)
        else { continue }
        removed.append(asset.digest)
        total -= asset.byteCount
      }
      count += removed.count
    }
    return count
  }

  private func disown(_ removed: [Digest]) {
    do {
      try ledger.disown(removed)
    } catch {
      log.error(
        "cannot update asset quotas: removed assets still count against their owners until they "
          + "are uploaded again: \(error)")
    }
  }

  /// Removes the media indexes of missing assets, and returns their number. The index of a file under a media root is
  /// kept for as long as an unused asset.
  ///
  /// - Parameters:
  ///   - indexes: the media indexes of assets that no job used when the ledger was read.
  ///   - known: the jobs whose assets are not among them.
  func removeUnneeded(
    indexes: [StoredFile], of cache: MediaIndexCache, besides known: Set<JobID>,
    _ settings: StorageSettings, at now: Date
  ) async throws -> Int {
    var count = 0
    try await forEachSlice(of: indexes, besides: known) { slice in
      for index in slice {
        // Checks only that the file exists: checking its bytes may mean reading all of it.
        guard !assetStore.contains(index.digest),
          cache.date(of: index.digest) == index.date
        else { continue }
        let isShared = try ledger.sharedAsset(index.digest) != nil
        guard index.date < now - (isShared ? settings.keepAssets : StorageSettings.youth) else {
          continue
        }
        cache.remove(index.digest)
        count += 1
      }
    }
    return count
  }

  /// Calls `body` with slices of files, without files of assets that jobs have begun to use. Other calls are answered
  /// in between.
  ///
  /// A job that was submitted or retried since the snapshot is not among the known jobs, so its assets are read here,
  /// before `body` runs or in the same step. An unfinished job can begin to use an asset only by fetching it or by
  /// planning pictures, and a submission only by naming it. Each of these touches the file of an asset that is already
  /// in the store, and ``AssetStore/remove(_:lastUsed:keepingBlocks:)`` keeps such a file. A job that has ended since
  /// was among the known jobs, unless it was also submitted or retried since: in that case, it is as if its assets had
  /// been removed earlier.
  private func forEachSlice(
    of files: [StoredFile], besides known: Set<JobID>,
    _ body: (_ slice: [StoredFile]) throws -> Void
  ) async throws {
    var known = known
    var used: Set<Digest> = []
    for first in stride(from: 0, to: files.count, by: Self.sliceSize) {
      try await letOthersIn()
      while let id = jobs.keys.first(where: { !known.contains($0) }) {
        known.insert(id)
        used.formUnion(try ledger.submittedAssets(of: id))
        try await letOthersIn()
      }
      try body(
        files[first..<min(first + Self.sliceSize, files.count)].filter {
          !used.contains($0.digest)
        })
    }
  }

  /// Removes those block digests of missing assets that no job uses.
  func removeUnneeded(blocks: [StoredFile]) async throws {
    var used: Set<Digest> = []
    var seen: Set<JobID> = []
    for first in stride(from: 0, to: blocks.count, by: Self.sliceSize) {
      try await letOthersIn()
      // A project may name thousands of files, so they are decoded outside the actor. Jobs may be submitted meanwhile.
      while let id = jobs.keys.first(where: { !seen.contains($0) }) {
        seen.insert(id)
        used.formUnion(try ledger.leasedBlocks(of: id).keys)
        let stored = try ledger.storedAssets(of: id)
        let assets = try await LongCoding.run(byteCount: stored.byteCount) {
          try stored.decoded().map(\.asset.digest)
        }
        used.formUnion(assets)
        try await letOthersIn()
      }
      // An asset may have arrived meanwhile.
      for list in blocks[first..<min(first + Self.sliceSize, blocks.count)]
      where !used.contains(list.digest)
        && !assetStore.contains(list.digest)
      {
        assetStore.blocks.remove(list.digest)
      }
    }
  }

  /// The finished files that the ledger knows, including lost ones, which may be back.
  nonisolated func outputs() async throws -> [ExpectedFile] {
    try await snapshot { try $0.outputs() + $0.lostOutputs() }
  }

  /// The possible finished files of jobs that were never completed. Such a file was never acknowledged.
  nonisolated func unfinishedOutputs() async throws -> Set<StoredObject> {
    try await snapshot { ledger in
      Set(
        try ledger.jobsWithoutOutput().flatMap { job in
          FileType.allCases.map { StoredObject.output(of: job.rawValue, $0) }
        })
    }
  }
}
