import Crypto

/// The answer to `PUT /leases/{token}/chunk`: a delivery counts only if the coordinator names the chunk.
public struct ChunkReceipt: Hashable, Codable, Sendable {
  /// The SHA-256 of the accepted chunk.
  public var sha256: Digest

  /// A receipt for a chunk.
  public init(sha256: Digest) { self.sha256 = sha256 }
}
