import Crypto
import FarmAPI
import HTTP
import Synchronization

/// An asset that is being downloaded from its URL into a temporary file.
final class AssetDownload: BodySink {
  private let file: Mutex<StagedFile>
  private let limit: FetchLimit
  private let space: DiskSpace
  private let arrived = Atomic<Int64>(0)

  /// - Parameter limit: the size limit.
  init(at path: String, limit: FetchLimit, space: DiskSpace) throws(StorageError) {
    file = Mutex(try StagedFile(path, hashingBlocks: true))
    self.limit = limit
    self.space = space
  }

  /// The number of bytes that have arrived.
  var byteCount: Int64 { arrived.load(ordering: .relaxed) }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    arrived.add(Int64(bytes.count), ordering: .relaxed)
    try file.withLock { file in
      guard file.byteCount + Int64(bytes.count) <= limit.byteCount else { throw limit.error }
      // The size is not always known in advance, so the space is checked for each part.
      try space.assure(Int64(bytes.count))
      try file.write(bytes)
    }
  }

  /// Does nothing: the file is removed with this object.
  func abandon() {}

  /// Stores the downloaded file as an asset. Blocks until it is on disk.
  func finish(in store: AssetStore) throws -> AssetReference {
    try file.withLock { file in
      guard let list = file.blocks() else {
        throw StorageError(.unreadable, "cannot hash: \(file.path): it was hashed before")
      }
      try store.admit(file, list)
      return AssetReference(digest: list.content, byteCount: file.byteCount)
    }
  }
}
