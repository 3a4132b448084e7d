import CCrypto

extension Digest {
  /// Whether the digests are equal. The comparison takes the same time wherever they differ.
  public func isEqualInConstantTime(to other: Digest) -> Bool {
    CRYPTO_memcmp(bytes, other.bytes, Self.byteCount) == 0
  }
}
