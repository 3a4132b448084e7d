import Crypto

/// What a client sends with a submission, so that sending it again does not create another job.
public struct IdempotencyKey: Hashable, Sendable {
  /// The header that carries it.
  public static let headerName = "Idempotency-Key"

  /// The text of the header.
  public let value: String

  /// A key from its text: 1 to 128 visible ASCII characters.
  public init?(_ text: String) {
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    value = text
  }

  /// A key that nobody else has.
  public static func random() -> IdempotencyKey { IdempotencyKey(unchecked: SecureRandom.token()) }

  private init(unchecked value: String) { self.value = value }
}
