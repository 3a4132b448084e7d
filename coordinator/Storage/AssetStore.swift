import Crypto
import FarmAPI
import Foundation
import Synchronization

/// An asset that was moved to the quarantine.
struct LostAsset: Sendable {
  let digest: Digest
  let reason: String
}

/// Stores assets, each under the SHA-256 of its bytes. Interrupted uploads can be continued.
final class AssetStore: Sendable {
  let storage: any ObjectStorage
  /// The folder for unfinished uploads.
  private let uploadFolder: String
  private let space: DiskSpace
  /// The block digests of the assets, and of files under media roots.
  let blocks: BlockLists
  /// The assets that were read entirely, found sound and not written to since.
  let known: SoundObjects
  /// Locked while an asset's file is put in place or removed.
  let naming = Mutex(())
  /// The assets that are moved to the quarantine.
  let losses: AsyncStream<LostAsset>
  private let reportLoss: AsyncStream<LostAsset>.Continuation
  /// The current uploads by path. If two requests upload the same asset for the same owner, the later one continues.
  private let uploads = Mutex<[String: IncomingAsset]>([:])
  private let uploadPatience: Duration
  /// The paths of uploads that are being opened, each by one request.
  private let opening = Mutex<Set<String>>([])
  /// The unfinished uploads of each owner. A thread that holds this lock may also lock ``uploads``.
  let unfinished: Mutex<UnfinishedUploads>
  /// The number of uploads and fetches that are waiting to own each asset whose file they brought. Locked while such a
  /// file is removed.
  let claims = Mutex<[Digest: Int]>([:])

  /// Opens the store. Blocks while unfinished uploads are counted.
  ///
  /// - Parameters:
  ///   - uploads: the folder for unfinished uploads.
  ///   - uploadPatience: the time without a byte after which another request may take over an upload.
  init(
    in storage: any ObjectStorage, uploads: String, space: DiskSpace, uploadPatience: Duration
  ) {
    self.storage = storage
    uploadFolder = uploads
    self.uploadPatience = uploadPatience
    self.space = space
    unfinished = Mutex(Self.unfinishedUploads(in: uploads))
    blocks = BlockLists(in: storage, uploads: uploads)
    known = SoundObjects(in: storage)
    (losses, reportLoss) = AsyncStream.makeStream()
  }

  /// Reports an asset that was moved to the quarantine.
  func tellLoss(_ digest: Digest, _ reason: String) {
    reportLoss.yield(LostAsset(digest: digest, reason: reason))
  }

  /// The path of a file with a complete asset; `nil` if there is none. See ``ObjectStorage/localPath(of:)``.
  func localPath(of digest: Digest) throws(StorageError) -> String? {
    try storage.localPath(of: StoredObject(.asset, digest))
  }

  /// The number of bytes of the stored asset, which may be damaged; `nil` if there is none, or it cannot be examined now.
  func size(of digest: Digest) -> Int64? { storage.byteCount(of: StoredObject(.asset, digest)) }

  /// Whether an asset is stored, which may be damaged. One that cannot be examined now counts as stored.
  func contains(_ digest: Digest) -> Bool { storage.contains(StoredObject(.asset, digest)) }

  /// The number of bytes of an unfinished upload that have arrived.
  func uploadedByteCount(of digest: Digest, by owner: String? = nil) -> Int64 {
    FileFacts.byteCount(at: partialPath(of: digest, by: owner)) ?? 0
  }

  /// The path of an unfinished upload. Each owner has its own, because sending the last byte does not prove that an
  /// owner has the others.
  func partialPath(of digest: Digest, by owner: String? = nil) -> String {
    "\(uploadFolder)/\(digest)\(owner.map { ".\($0)" } ?? "")\(Self.uploadSuffix)"
  }

  /// The suffix of the names of unfinished uploads.
  static let uploadSuffix = ".part"

  /// The total size of the upload to a path, in bytes; `nil` if none is in progress.
  func totalOfUpload(_ path: String) -> Int64? { uploads.withLock { $0[path]?.total } }

  /// Begins or continues an upload. Blocks while the existing bytes are hashed.
  ///
  /// - Parameter isWanted: called before each MiB of the existing bytes is hashed. If it returns `false`, this throws.
  /// - Throws: ``StorageError`` with code `full` if there is no room for the remaining bytes, or `inUse` if another
  ///   request is opening the same upload.
  func open(
    _ digest: Digest, by owner: String? = nil, total: Int64,
    while isWanted: () -> Bool = { true }
  ) throws(StorageError) -> IncomingAsset {
    try space.assure(total - uploadedByteCount(of: digest, by: owner))
    let path = partialPath(of: digest, by: owner)
    // Two requests that write to one file would each mistake the other's bytes for their own.
    guard opening.withLock({ $0.insert(path).inserted }) else {
      throw StorageError(.inUse, "another request is opening the upload of \(digest): try again")
    }
    defer { opening.withLock { _ = $0.remove(path) } }
    uploads.withLock { $0.removeValue(forKey: path) }?.supersede()
    // Also needed after a failure: the file may exist.
    defer { recount(path) }
    let upload = try IncomingAsset(digest, at: path, total: total, store: self, while: isWanted)
    uploads.withLock { $0[path] = upload }
    return upload
  }

  /// Whether another request is uploading an asset for the same owner and has recently received bytes.
  func isUnderWay(_ digest: Digest, by owner: String? = nil) -> Bool {
    let path = partialPath(of: digest, by: owner)
    return uploads.withLock { $0[path]?.isUnderWay(patience: uploadPatience) ?? false }
      || opening.withLock { $0.contains(path) }
  }

  /// Drops an unfinished upload.
  func discardUpload(of digest: Digest, by owner: String? = nil) {
    let path = partialPath(of: digest, by: owner)
    uploads.withLock { $0.removeValue(forKey: path) }?.supersede()
    unlink(path)
    recount(path)
  }

  /// Removes an asset that no job uses, unless something has referred to it since it was examined.
  ///
  /// - Parameters:
  ///   - date: the time of the last reference to the asset.
  ///   - keepsBlocks: whether a file under a media root needs the block digests.
  /// - Returns: whether the asset is gone.
  func remove(_ digest: Digest, lastUsed date: Date, keepingBlocks keepsBlocks: Bool) -> Bool {
    naming.withLock { _ in
      let object = StoredObject(.asset, digest)
      do {
        if let facts = try storage.facts(of: object) {
          guard facts.date <= date else { return false }
          _ = try storage.remove(object)
        }
      } catch {
        return false
      }
      if !keepsBlocks { blocks.remove(digest) }
      return true
    }
  }

  /// Records a reference to an asset, which counts as new from now on.
  func touch(_ digest: Digest) {
    // Locked, because ``remove(_:lastUsed:keepingBlocks:)`` may have found the asset unused and be about to remove it.
    // A caller that sees the file after this call keeps it.
    naming.withLock { _ in known.touch(StoredObject(.asset, digest)) }
  }

  /// Records that an upload has ended.
  func close(_ upload: IncomingAsset) {
    uploads.withLock { if $0[upload.path] === upload { $0[upload.path] = nil } }
    recount(upload.path)
  }
}
