import Crypto
import Foundation

/// Removes files that are no longer needed: chunks of jobs that ended long ago, unused assets and their media indexes,
/// abandoned uploads, and files that the ledger does not know.
struct Retention: Sendable {
  /// Younger files are left alone, because a request may be about to refer to them.
  static let youth: TimeInterval = 3600

  let farm: Farm
  let directory: DataDirectory
  let settings: StorageSettings
  let threads: BlockingThreads
  let log: Log

  /// Looks through the data directory once.
  func tidy(at now: Date) async throws {
    let chunks = try await stored(in: directory.chunks)
    let removed = try await farm.removeUnneeded(chunks: chunks, settings, at: now)
    try await farm.removeUnneededDeliveries()
    let lists = try await stored(in: directory.blocks)
    try await farm.removeUnneeded(blocks: lists, settings, at: now)
    let assets = try await stored(in: directory.assets)
    let used = try await farm.removeUnneeded(assets: assets, settings, at: now)
    let indexes = try await farm.removeUnneeded(
      indexes: stored(in: directory.indexes), of: MediaIndexCache(directory), settings, at: now)
    let documents = try await farm.neededDocuments()
    let texts = try await threads.run { [farm] in
      farm.documents.removeAll(but: documents, since: now - Self.youth)
    }
    // A file of a job that the ledger does not know is someone's film: the ledger may be a backup.
    let unfinished = try await farm.unfinishedOutputFiles()
    let strays = try await threads.run { [directory, settings] in
      Self.removeFiles(
        in: "\(directory.path)/outputs", since: now - Self.youth, where: unfinished.contains)
        + Self.removeFiles(in: directory.uploads, since: now - settings.keepUploads)
        + Self.removeFiles(in: directory.quarantine, since: now - settings.keepQuarantine)
    }
    if removed + used + indexes + texts + strays > 0 {
      log.info(
        "cleanup: removed \(removed) chunks, \(used) assets, \(indexes) media indexes and "
          + "\(texts + strays) other files")
    }
  }

  /// The files of a store.
  private func stored(in folder: String) async throws -> [StoredFile] {
    try await threads.run { StoredFile.all(in: folder) }
  }

  /// Removes the files of a folder that are older and have such names, and says how many.
  private static func removeFiles(
    in folder: String, since date: Date, where isUnwanted: (String) -> Bool = { _ in true }
  ) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      let path = "\(folder)/\(name)"
      guard isUnwanted(name), let changed = StoredFile.changeDate(path), changed < date else {
        return false
      }
      return unlink(path) == 0
    }
  }
}

/// A file of a store, under the digest of its bytes.
struct StoredFile: Hashable, Sendable {
  let digest: Digest
  let byteCount: Int64
  /// When it came, or was last referred to.
  let date: Date

  /// The file at `path`; `nil` if it is none of a store's.
  init?(_ path: String) {
    guard let digest = Digest(hex: URL(fileURLWithPath: path).lastPathComponent),
      let byteCount = AssetStore.size(path), let date = Self.changeDate(path)
    else { return nil }
    (self.digest, self.byteCount, self.date) = (digest, byteCount, date)
  }

  /// The files of a store. Blocks.
  static func all(in folder: String) -> [StoredFile] {
    (FileManager.default.subpaths(atPath: folder) ?? []).compactMap { name in
      StoredFile("\(folder)/\(name)")
    }
  }

  /// When the bytes of the file at `path` were changed, or it was touched.
  static func changeDate(_ path: String) -> Date? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(information.st_mtim.tv_sec))
  }
}
