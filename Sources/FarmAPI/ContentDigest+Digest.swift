import Crypto
import Foundation

extension ContentDigest {
  /// Whether a header's value matches a body with this SHA-256.
  public static func holds(_ value: String, for digest: Digest) -> Bool {
    let expected = "sha-256=:\(Data(digest.bytes).base64EncodedString()):"
    return value.split(separator: ",").contains {
      $0.trimmingCharacters(in: .whitespaces) == expected
    }
  }
}
