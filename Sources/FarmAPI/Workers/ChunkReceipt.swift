import Crypto

/// The response to `PUT /leases/{token}/chunk`. A delivery counts only if the coordinator confirms the chunk's digest.
public struct ChunkReceipt: Hashable, Codable, Sendable {
  /// The SHA-256 of the accepted chunk.
  public var sha256: Digest

  /// Creates a receipt for a chunk.
  public init(sha256: Digest) { self.sha256 = sha256 }
}
