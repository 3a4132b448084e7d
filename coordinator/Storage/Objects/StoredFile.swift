import Crypto
import Foundation

/// A stored file that is named after the digest of its bytes, or of what it belongs to.
struct StoredFile: Hashable, Sendable {
  let digest: Digest
  let byteCount: Int64
  /// The time when it was stored or last used.
  let date: Date

  /// All files of a kind. Blocks.
  static func all(of kind: ObjectKind, in storage: any ObjectStorage) -> [StoredFile] {
    var files: [StoredFile] = []
    storage.forEach(of: kind) { entry in
      guard let digest = entry.object.digest else { return }
      files.append(StoredFile(digest: digest, byteCount: entry.byteCount, date: entry.date))
    }
    return files
  }
}
