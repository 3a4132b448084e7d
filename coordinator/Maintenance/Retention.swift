import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling

/// Removes files that are no longer needed: chunks of jobs that ended long ago, mixes, unused assets and their media indexes,
/// abandoned uploads, and files that the ledger does not know.
struct Retention: Sendable {
  let farm: Farm
  let storage: any ObjectStorage
  let directory: DataDirectory
  let settings: StorageSettings
  let threads: BlockingThreads
  let log: Log

  /// Removes unneeded files from the whole data directory once.
  func tidy(at now: Date) async throws {
    try await deleteOld(at: now)
    let removed = try await removeChunks(at: now)
    try await farm.removeUnneededRecords(unusedSince: now - settings.keepChunks)
    try await removeBlocks(at: now)
    let (used, indexes) = try await removeAssets(at: now)
    let texts = try await farm.snapshot { [documents = farm.documents] ledger in
      documents.removeAll(but: try ledger.documents(), since: now - StorageSettings.youth)
    }
    // The ledger may be a backup, so a finished file whose job it does not know may still be wanted.
    let unfinished = try await farm.unfinishedOutputs()
    let strays = try await threads.run {
      [storage, directory, settings, assets = farm.assetStore, mixes = farm.mixStore] in
      MediaCache(in: directory.knownFiles)?.tidy(to: KnownFiles.mostKnown)
      let removedMixes = mixes.tidy(
        unusedSince: now - settings.keepChunks, to: settings.mixBytes,
        but: now - StorageSettings.youth)
      return removedMixes
        + Self.removeOutputs(from: storage, since: now - StorageSettings.youth) {
          unfinished.contains($0) || OutputRemoval.isRest($0)
        }
        + Self.removeFiles(
          in: directory.uploads, since: now - settings.keepUploads, whenGone: assets.recount)
        + Self.removeFiles(
          in: directory.delivered, since: now - StorageSettings.youth,
          where: { !ChunkFolder.isMarkName($0) })
        + Self.removeFiles(in: directory.quarantine, since: now - settings.keepQuarantine)
    }
    do {
      try await threads.run(apart: true) { [storage, settings] () throws in
        try storage.tidy(at: now, keepingDamaged: settings.keepQuarantine)
      }
    } catch let error as StorageError {
      log.error("cannot remove what interrupted work left in the object store: \(error)")
    }
    try await farm.forgetNotifications(at: now)
    if removed + used + indexes + texts + strays > 0 {
      log.info(
        "cleanup: removed \(removed) chunks, \(used) assets, \(indexes) media indexes and "
          + "\(texts + strays) other files")
    }
  }

  /// Removes the chunks that no job needs, and returns their number.
  private func removeChunks(at now: Date) async throws -> Int {
    // Listed before the ledger is read, so that files that arrive later are not in the list.
    let chunks = try await stored(.chunk)
    let unneeded = try await farm.snapshot { [settings] ledger in
      let needed = try ledger.chunksToKeep(since: now - settings.keepChunks, settings.chunkBytes)
      let unneeded = chunks.filter {
        !needed.contains($0.digest) && $0.date < now - StorageSettings.youth
      }
      return try unneeded.map {
        UnneededChunk(digest: $0.digest, uses: try ledger.uses(of: $0.digest))
      }
    }
    return try await farm.removeUnneeded(chunks: unneeded)
  }

  /// Removes old block digests of missing assets that no job uses.
  private func removeBlocks(at now: Date) async throws {
    let lists = try await stored(.blocks)
    let old = try await threads.run { [settings, assets = farm.assetStore] in
      lists.filter { list in
        list.date < now - settings.keepAssets
          && !assets.contains(list.digest)
      }
    }
    try await farm.removeUnneeded(blocks: old)
  }

  /// Removes assets that are old or too many, and media indexes of missing assets, unless a job uses them or may need
  /// them for a retry. Returns their numbers.
  private func removeAssets(at now: Date) async throws -> (assets: Int, indexes: Int) {
    let assets = try await stored(.asset)
    let indexes = try await stored(.index)
    let unused = try await farm.snapshot { [settings] ledger in
      let used = try ledger.submittedAssets(since: now - settings.keepChunks)
      return Unused(
        assets: assets.filter { !used.contains($0.digest) && $0.date < now - StorageSettings.youth }
          .sorted { $0.date < $1.date },
        indexes: indexes.filter { !used.contains($0.digest) },
        jobs: try Set(ledger.unfinishedJobs().map(\.id)))
    }
    let removed = try await farm.removeUnneeded(
      assets: unused.assets, of: assets.reduce(0) { $0 + $1.byteCount }, besides: unused.jobs,
      settings, at: now)
    let removedIndexes = try await farm.removeUnneeded(
      indexes: unused.indexes, of: MediaIndexCache(in: storage), besides: unused.jobs, settings,
      at: now)
    return (removed, removedIndexes)
  }

  /// The files that no job used when the ledger was read.
  private struct Unused: Sendable {
    /// The assets, oldest first.
    let assets: [StoredFile]
    let indexes: [StoredFile]
    /// The jobs that were unfinished then, whose files are not included here.
    let jobs: Set<JobID>
  }

  private func stored(_ kind: ObjectKind) async throws -> [StoredFile] {
    try await threads.run { [storage] in StoredFile.all(of: kind, in: storage) }
  }

  /// Removes certain finished files that were not stored since a date, and returns how many.
  private static func removeOutputs(
    from storage: any ObjectStorage, since date: Date, where isUnwanted: (StoredObject) -> Bool
  ) -> Int {
    var unwanted: [StoredObject] = []
    storage.forEach(of: .output) { entry in
      if isUnwanted(entry.object) { unwanted.append(entry.object) }
    }
    return unwanted.count { storage.discard($0, unusedSince: date) }
  }

  /// Removes files from a folder that are older than a date and have certain names, and returns how many. Calls
  /// `whenGone` with the path of each.
  private static func removeFiles(
    in folder: String, since date: Date, where isUnwanted: (String) -> Bool = { _ in true },
    whenGone: (String) -> Void = { _ in }
  ) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      let path = "\(folder)/\(name)"
      guard isUnwanted(name), let changed = FileFacts.date(at: path), changed < date else {
        return false
      }
      guard unlink(path) == 0 else { return false }
      whenGone(path)
      return true
    }
  }
}
