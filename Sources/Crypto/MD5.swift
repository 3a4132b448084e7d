import CCrypto

/// MD5 digests, only for protocols that require them. MD5 protects nothing against forgery.
public enum MD5 {
  private static let byteCount = 16

  /// The digest of `bytes` as 32 lowercase hexadecimal digits; empty if libcrypto does not offer MD5, as in its FIPS mode.
  public static func hexadecimal(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: byteCount)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else { return "" }
    return digest.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
