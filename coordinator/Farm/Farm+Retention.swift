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
  /// Its uses in the ledger that no longer keep it: by jobs that ended long ago, or beyond the limit of kept bytes.
  let uses: [ChunkUse]
}

/// Removes files that a snapshot of the ledger shows as unneeded.
///
/// Each call removes its files in slices and answers other calls in between. Within a slice, it checks again that nothing has
/// begun to need a file, and removes the file, in one step. The checks use indexes.
extension Farm {
  /// The number of files that are checked and removed in one step.
  private static let sliceSize = 100

  /// Removes those chunks of which the ledger has the same uses as when it was read, and says how many.
  ///
  /// Everything that begins to need a chunk changes its uses in the same step in which it finds the file: a delivery that is
  /// accepted or held, an audit that ends, a segment that shares or reuses a chunk. A job that is retried, or a completed one
  /// whose file is lost, changes them by its state and its end. If the file was removed before, a delivery is refused and
  /// repeated, a retried job renders the segment again, and no chunk is reused.
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

  /// Removes the records of kept chunks that were not used since a date, of damaged media in chunks that are gone, and of
  /// deliveries that nothing refers to, in ranges; other calls are answered in between.
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

  /// Removes those assets that are old or too many, and says how many.
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
      // Also if the ledger fails in between: an asset that is gone must not count for its owners.
      defer { disown(removed) }
      for asset in slice
      where asset.date < now - settings.keepAssets || total > settings.assetBytes {
        // Workers read a file under a media root by the same block digests.
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
        "removed assets still count for their owners until they are uploaded again: \(error)")
    }
  }

  /// Removes the media indexes of missing assets, and returns their number. The index of a file under a media root is kept as
  /// long as an unused asset.
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
        guard AssetStore.size(assetStore.path(of: index.digest)) == nil,
          StoredFile.changeDate(cache.file(of: index.digest)) == index.date
        else { continue }
        let isShared = try ledger.sharedAsset(index.digest) != nil
        guard index.date < now - (isShared ? settings.keepAssets : Retention.youth) else {
          continue
        }
        cache.remove(index.digest)
        count += 1
      }
    }
    return count
  }

  /// Calls `body` with slices of files, without those of assets that jobs have begun to use; other calls are answered in
  /// between.
  ///
  /// A job that was submitted or retried since the snapshot is not among the known jobs, so its assets are read here, in the
  /// step in which `body` runs or before. An unfinished job comes to use more assets only by fetching them or by planning
  /// pictures, and a submission only by naming them. Each of these touches the file of an asset that is already in the store,
  /// and ``AssetStore/remove(_:lastUsed:keepingBlocks:)`` leaves such a file. A job that has ended since was among the
  /// known jobs, unless it was retried or submitted since as well: then it is as if its assets had been removed before.
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
      // A project may name thousands of files, so they are decoded outside the actor. Jobs may come meanwhile.
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
      // An asset may have come meanwhile.
      for list in blocks[first..<min(first + Self.sliceSize, blocks.count)]
      where !used.contains(list.digest)
        && AssetStore.size(assetStore.path(of: list.digest)) == nil
      {
        assetStore.blocks.remove(list.digest)
      }
    }
  }

  /// The finished files that the ledger knows, and those that were lost: they may be there again.
  nonisolated func outputs(in data: String) async throws -> [ExpectedFile] {
    try await snapshot { try $0.outputs(in: data) + $0.lostOutputs(in: data) }
  }

  /// The names of finished files of jobs that were never completed: such a file was not acknowledged.
  nonisolated func unfinishedOutputFiles() async throws -> Set<String> {
    try await snapshot { ledger in
      let names = try ledger.jobsWithoutOutput().flatMap { job in
        FileType.allCases.map { DataDirectory.output(of: job.rawValue, $0, in: "") }
      }
      return Set(names.map { URL(fileURLWithPath: $0).lastPathComponent })
    }
  }
}
