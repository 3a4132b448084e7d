import CCrypto
import Foundation

/// Unguessable random values from the system's cryptographic generator.
public enum SecureRandom {
  /// Returns `count` random bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let made = RAND_bytes(buffer.baseAddress, Int32(count))
      precondition(made == 1, "the system's random generator failed")
      filled = count
    }
  }

  /// Returns an unguessable token made of `bytes` random bytes, in base64url without padding (RFC 4648, section 5), so
  /// that a path can contain it.
  public static func token(bytes count: Int = 32) -> String {
    Data(bytes(count)).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}
