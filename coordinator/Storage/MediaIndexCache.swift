import Crypto
import Foundation
import Preparation

/// The media indexes that were built, by the digest of their assets: each in a file that ends with the SHA-256 of the rest.
/// Every call blocks.
final class MediaIndexCache: Sendable {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// The file of an asset's index; `nil` if it was not built, or was built by another version.
  func path(of digest: Digest) -> String? {
    let path = directory.indexes.file(of: digest)
    guard MediaIndexFile.isCurrent(path) else { return nil }
    // It counts as new from now on (``Retention``).
    utimes(path, nil)
    return path
  }

  /// Keeps an index that a media process wrote, which has ended by now.
  ///
  /// - Returns: where it is.
  func keep(_ path: String, of digest: Digest) throws(StorageError) -> String {
    let final = directory.indexes.file(of: digest)
    try StagedFile.bringToDisk(path)
    try StagedFile.publish(path, as: final)
    return final
  }

  /// Removes an index that cannot be read, or whose asset is gone.
  func remove(_ digest: Digest) { unlink(directory.indexes.file(of: digest)) }
}
