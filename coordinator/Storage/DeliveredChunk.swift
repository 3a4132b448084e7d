import Crypto

/// A chunk that a worker delivered and that was checked and brought to disk.
package struct DeliveredChunk: Hashable, Sendable {
  package let sha256: Digest
  package let byteCount: Int64
  /// The damaged source frames that it shows, if any. Output frames are counted from the chunk's first.
  package let concealments: StoredConcealments?
  /// The lines that its worker has logged and not sent before; `nil` for none.
  package let log: String?

  package init(
    sha256: Digest, byteCount: Int64, concealments: StoredConcealments?, log: String? = nil
  ) {
    self.log = log
    self.sha256 = sha256
    self.byteCount = byteCount
    self.concealments = concealments
  }
}
