import Crypto
import Foundation
import Preparation

/// Stores media indexes by the digest of their assets, each in a file that ends with the SHA-256 of the rest. Every
/// call blocks.
final class MediaIndexCache: Sendable {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// The path of an asset's index, or `nil` if there is none or another version built it.
  func path(of digest: Digest) -> String? {
    let path = directory.indexes.file(of: digest)
    guard MediaIndexFile.isCurrent(path) else { return nil }
    // Marks it as recently used for ``Retention``.
    utimes(path, nil)
    return path
  }

  /// Keeps an index from a media process that has ended.
  ///
  /// - Returns: its path in the store.
  func keep(_ path: String, of digest: Digest) throws(StorageError) -> String {
    let final = directory.indexes.file(of: digest)
    try StagedFile.bringToDisk(path)
    try StagedFile.publish(path, as: final)
    return final
  }

  /// Removes an index that cannot be read, or whose asset is missing.
  func remove(_ digest: Digest) { unlink(directory.indexes.file(of: digest)) }
}
