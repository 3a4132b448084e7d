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
    guard let data = FileManager.default.contents(atPath: directory.indexes.file(of: digest)),
      let index = try? FarmCoding.decode(MediaIndex.self, from: data),
      index.version == MediaIndex.currentVersion
    else { return nil }
    return index
  }

  /// Keeps an index.
  func keep(_ index: MediaIndex, of digest: Digest) throws {
    try StagedFile.write(
      FarmCoding.encode(index), to: directory.indexes.file(of: digest),
      temporary: "\(directory.uploads)/index-\(SecureRandom.token(bytes: 12))")
  }
}
