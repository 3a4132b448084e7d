/// The secret that both ends of an SRT connection have. It encrypts the stream.
///
/// Its description hides it, so that it appears in no log and no message.
public struct RecordingPassphrase: Hashable, Sendable {
  /// The secret.
  public let secret: String

  /// The number of bytes that libsrt accepts.
  public static let byteCounts = 10...79
  /// The rule for passphrases, for messages.
  public static let rule =
    "a passphrase must have \(byteCounts.lowerBound) to \(byteCounts.upperBound) characters, in one line"

  /// Checks a passphrase. Returns `nil` for other text.
  public init?(_ secret: String) {
    guard Self.byteCounts.contains(secret.utf8.count),
      !secret.utf8.contains(where: { $0 < 32 || $0 == 127 })
    else { return nil }
    self.secret = secret
  }
}

extension RecordingPassphrase: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Not the secret.
  public var description: String { "(hidden)" }
  /// Not the secret.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RecordingPassphrase: Codable {
  /// Encodes the secret.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(secret)
  }

  /// Decodes the secret.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let passphrase = RecordingPassphrase(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.rule)
    }
    self = passphrase
  }
}
