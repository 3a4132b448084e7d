import Foundation

/// Keyed hashes of messages (RFC 2104).
public enum HMAC {
  /// The block size of SHA-256 in bytes.
  private static let blockSize = 64

  /// The HMAC-SHA-256 of a message.
  public static func sha256(of message: Data, key: Data) -> Digest {
    var block = key.count > blockSize ? Digest.of(key).bytes : Array(key)
    block += Array(repeating: 0, count: blockSize - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    var outer = SHA256()
    outer.update(block.map { $0 ^ 0x5c })
    outer.update(Array(inner.finalize().bytes))
    return outer.finalize()
  }
}
