import Crypto
import Foundation

/// The accepted chunks, each under the SHA-256 of its bytes.
final class ChunkStore: Sendable {
  private let directory: DataDirectory

  init(_ directory: DataDirectory) {
    self.directory = directory
  }

  /// Where a chunk is.
  func path(of digest: Digest) -> String { directory.chunks.file(of: digest) }

  /// Whether a chunk is there.
  func contains(_ digest: Digest) -> Bool { AssetStore.size(path(of: digest)) != nil }

  /// A file to receive a chunk in.
  func stage() throws(StorageError) -> StagedFile {
    try StagedFile("\(directory.uploads)/chunk-\(SecureRandom.token(bytes: 12))")
  }

  /// Removes every chunk but those: what a coordinator that ended without warning did not get to.
  func removeAll(but needed: Set<Digest>) {
    let manager = FileManager.default
    for folder in (try? manager.contentsOfDirectory(atPath: directory.chunks)) ?? [] {
      let folder = "\(directory.chunks)/\(folder)"
      for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
        if let digest = Digest(hex: name), !needed.contains(digest) { unlink("\(folder)/\(name)") }
      }
    }
  }

  /// Removes chunks that no job needs any more.
  func remove(_ digests: [Digest]) {
    for digest in digests { unlink(path(of: digest)) }
  }
}
