import Crypto
import FarmAPI
import HTTP
import Synchronization

/// An asset on its way in from its URL, under a temporary name that goes with it.
final class AssetDownload: BodySink {
  private let file: Mutex<StagedFile>
  private let limit: FetchLimit
  private let space: DiskSpace
  private let arrived = Atomic<Int64>(0)

  /// - Parameter limit: how many bytes it may have.
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
      // How much is to come is not always known before.
      try space.assure(Int64(bytes.count))
      try file.write(bytes)
    }
  }

  /// The file goes with this.
  func abandon() {}

  /// Keeps what came as an asset. Blocks until it is on disk.
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
