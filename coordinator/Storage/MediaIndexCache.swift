import Crypto
import FarmAPI
import Foundation
import Timeline

/// The media indexes that were built, by the digest of their assets. Every call blocks.
final class MediaIndexCache: Sendable {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// The index of an asset; `nil` where it was not built, or by another version.
  func index(of digest: Digest) -> MediaIndex? {
    let path = directory.indexes.file(of: digest)
    guard let data = FileManager.default.contents(atPath: path),
      let index = try? FarmCoding.decode(MediaIndex.self, from: data),
      index.version == MediaIndex.currentVersion
    else { return nil }
    // It counts as new from now on (``Retention``).
    utimes(path, nil)
    return index
  }

  /// Removes the index of an asset that is gone.
  func remove(_ digest: Digest) { unlink(directory.indexes.file(of: digest)) }

  /// Keeps an index.
  func keep(_ index: MediaIndex, of digest: Digest) throws {
    try StagedFile.write(
      FarmCoding.encode(index), to: directory.indexes.file(of: digest),
      temporary: "\(directory.uploads)/index-\(SecureRandom.token(bytes: 12))")
  }
}
