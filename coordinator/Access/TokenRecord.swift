import Crypto
import Foundation

/// The stored properties of a token, with its hash instead of the token itself.
package struct TokenRecord: Hashable, Codable, Sendable {
  /// The token's id in lists and for `revoke`.
  package let id: String
  /// The name of the token's holder. A submitter's jobs belong to this name.
  package let name: String
  /// The role of its holder.
  package let role: Role
  /// The SHA-256 of the token. The token has 256 random bits, so a slower hash would not protect it better.
  package let sha256: Digest
  /// When the token was created.
  package let createdAt: Date
  /// When the token was revoked, or `nil` if it is active.
  package var revokedAt: Date?
  /// Whether the chunks of a revoked worker's token stay usable; `nil` in the records of earlier versions.
  package var keepsChunks: Bool?

  /// Whether the token is accepted.
  package var isActive: Bool { revokedAt == nil }

  /// The prefix of every token, so that leaked tokens can be searched for.
  package static let prefix = "sheaf_"

  /// Creates a token and its record. The token is stored nowhere else.
  package static func make(
    role: Role, name: String, at date: Date
  ) -> (token: String, record: TokenRecord) {
    let token = prefix + SecureRandom.token(bytes: 32)
    let id = SecureRandom.bytes(4).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    // The file stores whole seconds.
    let created = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    return (
      token,
      TokenRecord(
        id: id, name: name, role: role, sha256: hash(token), createdAt: created)
    )
  }

  /// Whether a text looks like a token itself, and must not be printed.
  package static func isLikelyToken(_ text: String) -> Bool {
    text.hasPrefix(prefix) && text.utf8.count > 40
  }

  /// The hash of a token, which is stored instead of the token.
  package static func hash(_ token: String) -> Digest { Digest.of([UInt8](token.utf8)) }

  /// The regular expression that every valid name matches.
  package static let namePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"

  /// Whether a name is safe to use in lists, logs and file names.
  package static func isValid(name: String) -> Bool {
    let marks: Set<UInt8> = [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")]
    let isLetter = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard (1...64).contains(name.utf8.count), let first = name.utf8.first, isLetter(first) else {
      return false
    }
    return name.utf8.allSatisfy { isLetter($0) || marks.contains($0) }
  }
}
