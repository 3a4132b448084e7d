/// The secret that both ends of a connection share. It encrypts a stream over SRT, and is the stream key over RTMP.
///
/// The description hides the secret, so that it does not appear in logs and messages.
public struct RecordingPassphrase: Hashable, Sendable {
  /// The secret.
  public let secret: String

  /// The numbers of bytes that libsrt accepts.
  public static let byteCounts = 10...79
  /// The rule for passphrases, for messages.
  public static let rule =
    "a passphrase must have \(byteCounts.lowerBound) to \(byteCounts.upperBound) bytes, and no line "
    + "breaks or other control characters"

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
  /// A placeholder for the secret.
  public var description: String { "(hidden)" }
  /// A placeholder for the secret.
  public var debugDescription: String { description }
  /// A mirror without children.
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
