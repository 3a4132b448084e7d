import Crypto
import Foundation

/// The header `Content-Digest` (RFC 9530), which reveals that a body changed in transit.
public enum ContentDigest {
  /// The header's name.
  public static let headerName = "Content-Digest"

  /// The header's value for a body.
  public static func value(for body: Data) -> String {
    "sha-256=:\(Data(Digest.of(body).bytes).base64EncodedString()):"
  }

  /// Whether a header's value matches a body.
  public static func holds(_ value: String, for body: Data) -> Bool {
    value.split(separator: ",").contains {
      $0.trimmingCharacters(in: .whitespaces) == self.value(for: body)
    }
  }
}
