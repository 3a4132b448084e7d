import Crypto

/// A key that a client sends with a submission, so that sending it again does not create another job.
public struct IdempotencyKey: Hashable, Sendable {
  /// The header that carries it.
  public static let headerName = "Idempotency-Key"

  /// The possible numbers of characters.
  private static let lengths = 1...128
  /// The regular expression that every key matches.
  public static let pattern = "^[!-~]{\(lengths.lowerBound),\(lengths.upperBound)}$"

  /// The value of the header.
  public let value: String

  /// Creates a key from 1 to 128 visible ASCII characters. Returns `nil` for other text.
  public init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    value = text
  }

  /// Creates a random, unique key.
  public static func random() -> IdempotencyKey { IdempotencyKey(unchecked: SecureRandom.token()) }

  private init(unchecked value: String) { self.value = value }
}
