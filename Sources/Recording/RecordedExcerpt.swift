import Crypto

/// An excerpt of a recording, which is a file of its own.
public struct RecordedExcerpt: Hashable, Codable, Sendable {
  /// The fragments that it consists of.
  public var range: ExcerptRange
  /// The SHA-256 of the file.
  public var sha256: Digest
  /// The length of the file in bytes.
  public var byteCount: Int64

  /// Creates an excerpt.
  public init(range: ExcerptRange, sha256: Digest, byteCount: Int64) {
    self.range = range
    self.sha256 = sha256
    self.byteCount = byteCount
  }
}
