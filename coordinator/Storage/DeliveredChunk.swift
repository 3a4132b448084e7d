import Crypto

/// A chunk that a worker delivered and that was checked and brought to disk.
package struct DeliveredChunk: Hashable, Sendable {
  package let sha256: Digest
  package let byteCount: Int64
  /// The damaged source frames that it shows, if any. Output frames are counted from the chunk's first.
  package let concealments: StoredConcealments?

  package init(sha256: Digest, byteCount: Int64, concealments: StoredConcealments?) {
    self.sha256 = sha256
    self.byteCount = byteCount
    self.concealments = concealments
  }
}
