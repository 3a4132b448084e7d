import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Synchronization

/// Finds the files of a job's assets, and checks that they match the digests in the job.
final class AssetFiles: Sendable {
  private let store: AssetStore
  /// The digests of files under media roots.
  private let known = Mutex(KnownFiles())
  /// The digests of files under media roots that are kept across restarts.
  private let cache: MediaCache?

  init(store: AssetStore, cache: MediaCache? = nil) {
    self.store = store
    self.cache = cache
  }

  /// Limits how many lists of block digests are in memory at a time.
  var listReading: FairGate { store.blocks.reading }

  /// Stores a file that a media process wrote as the asset with the digest that the process stated. An asset that is
  /// stored already stays as it is. The process must have ended, so that it can no longer write to the file. Blocks
  /// until the file is on disk.
  ///
  /// - Parameter isConfirmed: whether it stays without being confirmed.
  /// - Throws: `JobError` if the file has another digest; `FileReadError`; `StorageError`.
  func keep(_ path: String, as digest: Digest, isConfirmed: Bool = true) throws {
    // Also required for an asset that is stored already: stating its digest does not prove that the process has its
    // bytes.
    guard FileFacts.byteCount(at: path) != nil else {
      throw JobError(
        .mediaProcessFailed, "a media process did not write the file \(digest)")
    }
    let list = try BlockDigests.of(file: path)
    guard list.content == digest else {
      throw JobError(
        .mediaProcessFailed,
        "the file \(digest) read back from the disk differs from what was written: "
          + "retry the job")
    }
    try keep(path, list, isConfirmed: isConfirmed)
  }

  /// Stores a file that a media process wrote as an asset, in the same way.
  ///
  /// - Parameters:
  ///   - content: what the process wrote.
  ///   - isConfirmed: whether it stays without being confirmed.
  /// - Throws: `JobError` if the file has other bytes; `FileReadError`; `StorageError`.
  func keep(
    _ path: String, writtenAs content: WrittenContent, isConfirmed: Bool = false
  ) throws -> AssetReference {
    var hasher = BlockHasher()
    guard try WrittenContent.of(file: path, noting: { hasher.update($0) }) == content else {
      throw JobError(
        .mediaProcessFailed,
        "a file read back from the disk differs from what was written: retry the job")
    }
    let list = hasher.finalize()
    try keep(path, list, isConfirmed: isConfirmed)
    return AssetReference(digest: list.content, byteCount: list.byteCount)
  }

  private func keep(_ path: String, _ list: BlockDigests, isConfirmed: Bool) throws {
    try store.admit(fileAt: path, list, isConfirmed: isConfirmed)
    store.touch(list.content)
  }

  /// Whether an asset that was uploaded or fetched is stored.
  ///
  /// - Throws: `StorageError` if an object store does not answer.
  func hasStored(_ asset: AssetReference) throws(StorageError) -> Bool {
    try store.byteCount(of: asset.digest) == asset.byteCount
  }

  /// Keeps an asset that is stored from being removed for a while.
  ///
  /// - Returns: whether it is stored.
  /// - Throws: `StorageError` if an object store does not answer.
  func touch(_ asset: AssetReference) throws(StorageError) -> Bool {
    store.touch(asset.digest)
    return try hasStored(asset)
  }

  /// Whether an asset of a project can be used without fetching or hashing it first. Blocks briefly.
  func isReady(_ asset: ProjectAsset) -> Bool {
    // A file without a reference, or one that cannot be opened, is reported when it is used.
    guard let reference = asset.reference else { return !asset.isRemote }
    guard let path = reference.path else {
      guard (try? hasStored(reference)) ?? true else { return !asset.isRemote }
      return store.blocks.facts(of: reference.digest) != nil
    }
    guard let file = try? OpenFile(path, throughLinks: false),
      let stamp = FileStamp(of: file.descriptor)
    else { return true }
    return known.withLock { $0.digest(of: stamp) } == reference.digest
      && store.blocks.facts(of: reference.digest) != nil
  }

  /// Returns the file of an asset with its block digests, or `nil` if the entire file has to be read first. Messages
  /// call the asset `name`. Blocks briefly.
  ///
  /// - Parameter time: the current time; `nil` if a digest that has to be checked again will do.
  func file(
    of asset: AssetReference, named name: String, at time: Int64? = FileStamp.now
  ) throws -> AssetFile? {
    try file(of: asset, named: name, at: time, hash: nil)
  }

  /// Returns the file of an asset with its block digests. Messages call the asset `name`. A file under a media root is
  /// hashed if it has changed since it was last hashed, and a stored asset is read if it has no block digests. Blocks
  /// until that is done.
  ///
  /// - Parameter isCancelled: whether to stop hashing.
  /// - Throws: `CancellationError` if the hashing was stopped.
  func hashedFile(
    of asset: AssetReference, named name: String, isCancelled: () -> Bool
  ) throws -> AssetFile {
    // The compiler treats optional closures as escaping.
    let file: AssetFile? = try withoutActuallyEscaping(isCancelled) { isCancelled in
      let hash: (String) throws -> BlockDigests? = { path in
        try BlockDigests.of(file: path) { !isCancelled() }
      }
      return try self.file(of: asset, named: name, at: FileStamp.now, hash: hash)
    }
    guard let file else { throw CancellationError() }
    return file
  }

  /// - Parameter hash: creates the block digests of a file, or returns `nil` if it is cancelled. Without this closure,
  ///   no file is read.
  private func file(
    of asset: AssetReference, named name: String, at time: Int64?,
    hash: ((String) throws -> BlockDigests?)?
  ) throws -> AssetFile? {
    let (digest, blocks) = (asset.digest, store.blocks)
    guard let path = asset.path else {
      var list = try hasStored(asset) ? blocks.list(of: digest) : nil
      if list == nil, try hasStored(asset) {
        guard hash != nil else { return nil }
        list = try store.list(of: digest)
      }
      guard let list, list.byteCount == asset.byteCount,
        let path = try store.localPath(of: digest)
      else {
        if store.storage.hasSetAside(.asset, digest) {
          throw JobError(
            .damagedAsset,
            "\(name): the coordinator's copy is damaged, and was moved to the quarantine: "
              + "submit the project again to upload the file")
        }
        throw JobError(
          .missingAsset,
          "\(name): the coordinator's copy is missing: "
            + "submit the project again to upload the file")
      }
      return AssetFile(
        path: path, blocks: try stored(list))
    }
    // The path was resolved earlier, so any link in it now was put there to redirect it.
    guard let file = try? OpenFile(path, throughLinks: false) else {
      guard try PacedReading.ifPresent(path, throughLinks: false) == nil else {
        throw StorageError(.unreadable, "cannot open: \(path): try again")
      }
      throw JobError(
        .missingAsset,
        "\(name): the file is no longer under the media root: put it back and retry the job")
    }
    guard let stamp = FileStamp(of: file.descriptor) else {
      throw StorageError("cannot get the attributes of the file", path)
    }
    let found = known.withLock { $0.digest(of: stamp, at: time) }
    let list: BlockDigests
    if found == digest, let kept = blocks.list(of: digest) {
      list = kept
    } else if found == nil, let cached = cachedList(of: stamp, digest) {
      list = cached
      known.withLock { $0.insert(stamp, digest, hashedSince: .max) }
    } else if let found, found != digest, time != nil {
      throw Self.changed(name)
    } else {
      guard let hash else { return nil }
      let start = FileStamp.now
      let made = try withExtendedLifetime(file) { try hash("/proc/self/fd/\(file.descriptor)") }
      guard let made else { return nil }
      list = made
      // Bytes that were written meanwhile may not be part of the digest.
      if FileStamp(of: file.descriptor) == stamp {
        cache?.note(list.content, of: stamp, hashedSince: start)
        known.withLock { $0.insert(stamp, list.content, hashedSince: start) }
      }
    }
    guard list.content == digest else { throw Self.changed(name) }
    try blocks.keep(list)
    return AssetFile(path: path, blocks: try stored(list))
  }

  private static func changed(_ name: String) -> JobError {
    JobError(.assetChanged, "\(name): the file has changed: submit the project again")
  }

  /// The file of block digests, which is stored first if it is missing.
  private func stored(_ list: BlockDigests) throws -> BlockList {
    let asset = list.content
    if try store.blocks.localPath(of: asset) == nil { try store.blocks.keep(list) }
    guard let path = try store.blocks.localPath(of: asset) else {
      throw StorageError(.unreadable, "the block digests of \(asset) were removed: try again")
    }
    return BlockList(path: path, digest: list.digest)
  }

  /// The block digests of a file whose digest is in the cache, and that has not been written to since.
  private func cachedList(of stamp: FileStamp, _ digest: Digest) -> BlockDigests? {
    guard let cache, cache.digest(of: stamp) == digest else { return nil }
    return store.blocks.list(of: digest) ?? cache.blocks(of: digest)?.list
  }
}
