import Crypto

/// Remembers the digests of files that have not changed. To limit its memory, it forgets the least recently used files
/// first.
package struct KnownFiles: Sendable {
  /// A file's identity. Writing to the file changes it.
  package struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let byteCount: Int64
    /// The time of the last change, in nanoseconds.
    let modified: Int64

    package init(device: UInt64, inode: UInt64, byteCount: Int64, modified: Int64) {
      self.device = device
      self.inode = inode
      self.byteCount = byteCount
      self.modified = modified
    }
  }

  /// The default limit on the number of files. Each takes some 100 bytes.
  package static let mostKnown = 1 << 17

  private let limit: Int
  private var recent: [Identity: Digest] = [:]
  /// The files that were known when `recent` last became full.
  private var earlier: [Identity: Digest] = [:]

  /// Creates an instance that knows no files.
  ///
  /// - Parameter limit: the maximum number of files. At least the last `limit / 2` files are always known.
  package init(limit: Int = KnownFiles.mostKnown) { self.limit = limit }

  package var count: Int { recent.count + earlier.count }

  /// Returns the digest of a file; `nil` if it is not known.
  package mutating func digest(of file: Identity) -> Digest? {
    if let digest = recent[file] { return digest }
    guard let digest = earlier[file] else { return nil }
    insert(file, digest)
    return digest
  }

  /// Records the digest of a file.
  package mutating func insert(_ file: Identity, _ digest: Digest) {
    if recent[file] == nil, recent.count >= max(1, limit / 2) {
      earlier = recent
      recent = [:]
    }
    earlier[file] = nil
    recent[file] = digest
  }
}
