import Crypto

/// A chunk of which a piece of a job's stream is made.
public struct StreamedChunk: Hashable, Codable, Sendable {
  /// The chunk's path.
  public var path: String
  /// The SHA-256 of its bytes.
  public var sha256: Digest
  /// The number of its segment.
  public var segment: Int
  /// The number of its first frame in the film.
  public var firstFrame: Int

  /// Creates a chunk.
  public init(path: String, sha256: Digest, segment: Int, firstFrame: Int) {
    self.path = path
    self.sha256 = sha256
    self.segment = segment
    self.firstFrame = firstFrame
  }
}
