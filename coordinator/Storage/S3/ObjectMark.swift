import Crypto

/// The metadata of each object: a random text that identifies this version of it, and the SHA-256 of its bytes.
struct ObjectMark: Hashable, CustomStringConvertible {
  private let version: String
  /// The SHA-256 of the bytes.
  let digest: Digest

  /// A mark for a new version.
  init(_ digest: Digest) {
    version = SecureRandom.token(bytes: 16)
    self.digest = digest
  }

  /// Reads a mark; `nil` if the text is something else.
  init?(_ text: String) {
    guard let mark = text.lastIndex(of: "."), let digest = Digest(hex: text[mark...].dropFirst())
    else { return nil }
    version = String(text[..<mark])
    self.digest = digest
  }

  var description: String { "\(version).\(digest)" }
}
