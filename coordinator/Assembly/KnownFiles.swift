import Crypto
import Preparation

/// Remembers the digests of files that have not changed. To limit its memory, it forgets the least recently used files
/// first.
package struct KnownFiles: Sendable {
  /// The default limit on the number of files. Each takes some 100 bytes.
  package static let mostKnown = 1 << 17

  private let limit: Int
  private var recent: [FileStamp: Entry] = [:]
  /// The files that were known when `recent` last became full.
  private var earlier: [FileStamp: Entry] = [:]

  private struct Entry {
    let digest: Digest
    /// Whether every write since the file was hashed has changed its stamp.
    let isSettled: Bool
  }

  /// Creates an instance that knows no files.
  ///
  /// - Parameter limit: the maximum number of files. At least the last `limit / 2` files are always known.
  package init(limit: Int = KnownFiles.mostKnown) { self.limit = limit }

  package var count: Int { recent.count + earlier.count }

  /// Returns the digest of a file; `nil` if it is not known.
  ///
  /// A file that was written to just before it was hashed may have been written to again without a new stamp. Once a
  /// write would change the stamp, the file must be hashed again.
  ///
  /// - Parameter time: the current time, in nanoseconds since 1970; `nil` for a use that may rely on the old digest.
  package mutating func digest(
    of file: FileStamp, at time: Int64? = FileStamp.now
  ) -> Digest? {
    let isRecent = recent[file] != nil
    guard let entry = recent[file] ?? earlier[file] else { return nil }
    if !entry.isSettled, let time, file.isOld(at: time) { return nil }
    if !isRecent { insert(file, entry) }
    return entry.digest
  }

  /// Records the digest of a file.
  ///
  /// - Parameter start: when the file began to be hashed, in nanoseconds since 1970.
  package mutating func insert(_ file: FileStamp, _ digest: Digest, hashedSince start: Int64) {
    insert(file, Entry(digest: digest, isSettled: file.isOld(at: start)))
  }

  private mutating func insert(_ file: FileStamp, _ entry: Entry) {
    if recent[file] == nil, recent.count >= max(1, limit / 2) {
      earlier = recent
      recent = [:]
    }
    earlier[file] = nil
    recent[file] = entry
  }
}
