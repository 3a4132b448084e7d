import Crypto
import Foundation

/// A worker's report about a chunk. `PUT /leases/{token}/chunk` carries it in the header ``headerName``, with its digest
/// in ``digestHeaderName``.
public struct ChunkManifest: Hashable, Codable, Sendable {
  /// The request header that carries the manifest, as JSON on one line.
  public static let headerName = "Sheaf-Chunk-Manifest"

  /// The number of frames.
  public var frameCount: Int
  /// The number of bytes of the chunk.
  public var byteCount: Int64
  /// The SHA-256 of the chunk's bytes.
  public var sha256: Digest
  /// The encoder's parameter sets in Annex B form; in JSON, they are encoded as base64.
  public var parameterSets: Data
  /// The list of the damaged source frames that the chunk shows, which follows the chunk in the body; `nil` for none.
  public var concealments: ConcealmentList.Stamp?
  /// The lines that the worker has logged about the attempt since the last heartbeat, as UTF-8; `nil` for none. In JSON,
  /// they are encoded as base64.
  public var log: Data?

  /// The maximum size of ``log`` in bytes, because a header carries it: 2 KiB.
  public static let logLimit = 2 << 10

  /// Creates a manifest.
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

  /// The length of the body that carries the chunk, including the list of concealments, in bytes.
  public var bodyByteCount: Int64 { byteCount + Int64(concealments?.byteCount ?? 0) }
}
