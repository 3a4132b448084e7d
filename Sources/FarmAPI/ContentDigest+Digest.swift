import Crypto
import Foundation

extension ContentDigest {
  /// Whether a body with this SHA-256 is the one that a header's value was made for.
  public static func holds(_ value: String, for digest: Digest) -> Bool {
    let expected = "sha-256=:\(Data(digest.bytes).base64EncodedString()):"
    return value.split(separator: ",").contains {
      $0.trimmingCharacters(in: .whitespaces) == expected
    }
  }
}
