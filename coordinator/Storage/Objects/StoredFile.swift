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
    storage.all(of: kind).compactMap { entry in
      entry.object.digest.map {
        StoredFile(digest: $0, byteCount: entry.byteCount, date: entry.date)
      }
    }
  }
}
