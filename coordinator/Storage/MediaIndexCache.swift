import Crypto
import Foundation
import Preparation

/// Stores media indexes by the digest of their assets. Each is in a file that ends with the SHA-256 of the bytes before
/// it. Every call blocks.
final class MediaIndexCache: Sendable {
  private let directory: DataDirectory
  /// A cache with indexes that may not be in the data directory; `nil` if there is none.
  private let shared: MediaCache?

  init(_ directory: DataDirectory, _ shared: MediaCache? = nil) {
    self.directory = directory
    self.shared = shared
  }

  /// The path of an asset's index, or `nil` if there is none or another version built it.
  func path(of digest: Digest) -> String? {
    let path = file(of: digest)
    guard MediaIndexFile.isCurrent(path) else { return shared?.index(of: digest) }
    // Marks it as recently used for ``Retention``.
    utimes(path, nil)
    return path
  }

  /// The path at which an asset's index is stored.
  func file(of digest: Digest) -> String { directory.indexes.file(of: digest) }

  /// Stores an index from a media process that has ended.
  func keep(_ path: String, of digest: Digest) throws(StorageError) {
    try StagedFile.bringToDisk(path)
    try StagedFile.publish(path, as: file(of: digest))
  }

  /// Removes an index that cannot be read, or whose asset is missing.
  func remove(_ digest: Digest) {
    unlink(file(of: digest))
    shared?.removeIndex(of: digest)
  }
}
