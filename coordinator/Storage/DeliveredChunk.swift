import Crypto

/// A chunk that a worker delivered, checked and on disk.
struct DeliveredChunk: Hashable, Sendable {
  let sha256: Digest
  let byteCount: Int64
  /// The damaged source frames that it shows, if any, with output frames counted from its first.
  let concealments: StoredConcealments?
}
