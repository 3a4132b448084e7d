import Crypto

/// A chunk that a worker delivered and that was checked and brought to disk.
package struct DeliveredChunk: Hashable, Sendable {
  let sha256: Digest
  let byteCount: Int64
  /// The damaged source frames that it shows, if any. Output frames are counted from the chunk's first.
  let concealments: StoredConcealments?
}
