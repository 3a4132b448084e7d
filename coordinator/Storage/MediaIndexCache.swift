import Crypto
import FarmAPI
import Foundation
import Timeline

/// The media indexes that were built, by the digest of their assets: each in a file that ends with the SHA-256 of the rest.
/// Every call blocks.
final class MediaIndexCache: Sendable {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// The index of an asset; `nil` where it was not built, or by another version, or is damaged.
  func index(of digest: Digest) -> MediaIndex? {
    let path = directory.indexes.file(of: digest)
    guard let file = FileManager.default.contents(atPath: path) else { return nil }
    let data = Data(file.dropLast(Digest.byteCount))
    guard Digest.of(data).bytes.elementsEqual(file.suffix(Digest.byteCount)),
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
    let data = try FarmCoding.encode(index)
    try StagedFile.write(
      data + Data(Digest.of(data).bytes), to: directory.indexes.file(of: digest),
      temporary: "\(directory.uploads)/index-\(SecureRandom.token(bytes: 12))")
  }
}
