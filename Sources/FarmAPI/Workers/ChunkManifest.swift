import Crypto
import Foundation

/// A worker's report about a chunk. `PUT /leases/{token}/chunk` carries it in the header ``headerName``, with its digest
/// in ``digestHeaderName``.
public struct ChunkManifest: Hashable, Codable, Sendable {
  /// The request header that carries the manifest, as JSON on one line.
  public static let headerName = "Sheaf-Chunk-Manifest"

  /// The number of frames.
  public var frameCount: Int
  /// How many bytes.
  public var byteCount: Int64
  /// The SHA-256 of its bytes.
  public var sha256: Digest
  /// The encoder's parameter sets, in Annex B form, base64 in JSON.
  public var parameterSets: Data
  /// The list of the damaged source frames that the chunk shows, which follows the chunk in the body; `nil` for none.
  public var concealments: ConcealmentList.Stamp?

  /// A manifest from its parts.
  public init(
    frameCount: Int, byteCount: Int64, sha256: Digest, parameterSets: Data,
    concealments: ConcealmentList.Stamp? = nil
  ) {
    self.concealments = concealments
    self.frameCount = frameCount
    self.byteCount = byteCount
    self.sha256 = sha256
    self.parameterSets = parameterSets
  }

  /// The bytes of the body that carries the chunk, including the list of concealments.
  public var bodyByteCount: Int64 { byteCount + Int64(concealments?.byteCount ?? 0) }
}
