import Crypto
import Foundation
import Planning

/// The damaged source frames that a chunk shows, in the form in which they follow the chunk in the body of
/// `PUT /leases/{token}/chunk`.
///
/// A long segment may conceal thousands of separate parts, which is more than a header can carry.
public struct ConcealmentList: Hashable, Sendable {
  /// The size and digest of a list, as the chunk's manifest states them.
  public struct Stamp: Hashable, Codable, Sendable {
    /// The size in bytes.
    public var byteCount: Int
    /// The SHA-256 of the bytes.
    public var sha256: Digest

    /// Creates a stamp.
    public init(byteCount: Int, sha256: Digest) {
      self.byteCount = byteCount
      self.sha256 = sha256
    }
  }

  /// The maximum size of a list in bytes. It has room for some 35,000 separate parts.
  public static let byteLimit = 4 << 20

  /// The damaged source frames, with output frames counted from the chunk's first.
  public var concealments: [Concealment]

  /// Creates a list.
  public init(_ concealments: [Concealment]) { self.concealments = concealments }

  /// Reads a list.
  ///
  /// - Throws: `DecodingError` if the bytes are not a list.
  public init(reading bytes: Data) throws {
    concealments = try FarmCoding.decode([Concealment].self, from: bytes)
  }

  /// The list as bytes: JSON.
  public func encoded() throws -> Data { try FarmCoding.encode(concealments) }
}

extension ConcealmentList.Stamp {
  /// The stamp of an encoded list.
  public init(of bytes: Data) {
    self.init(byteCount: bytes.count, sha256: Digest.of(bytes))
  }
}
