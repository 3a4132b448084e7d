/// The secret that both ends of a connection share. It encrypts a stream over SRT, is the stream key over RTMP, and the
/// user and the password over RTSP, as `user:password`.
///
/// The description hides the secret, so that it does not appear in logs and messages.
public struct RecordingPassphrase: Hashable, Sendable {
  /// The secret.
  public let secret: String

  /// The numbers of bytes that a passphrase may have for any source.
  public static let byteCounts = 2...255
  /// The numbers of bytes that libsrt accepts.
  private static let sharedByteCounts = 10...79
  private static let generalRule =
    "a passphrase must have \(byteCounts.lowerBound) to \(byteCounts.upperBound) bytes, and no line "
    + "breaks or other control characters"

  /// Checks a passphrase. Returns `nil` for other text.
  public init?(_ secret: String) {
    guard Self.byteCounts.contains(secret.utf8.count),
      !secret.utf8.contains(where: { $0 < 32 || $0 == 127 })
    else { return nil }
    self.secret = secret
  }

  /// Whether it can be used for sources with a transport.
  public func suits(_ transport: RecordingSource.Transport) -> Bool {
    transport == .rtsp
      ? secret.firstIndex(of: ":").map { $0 > secret.startIndex } ?? false
      : Self.sharedByteCounts.contains(secret.utf8.count)
  }

  /// The rule for passphrases of sources with a transport, for messages.
  public static func rule(for transport: RecordingSource.Transport) -> String {
    transport == .rtsp
      ? "the passphrase of an RTSP source must be a user and a password, written user:password, of "
        + "at most \(byteCounts.upperBound) bytes without line breaks"
      : "a passphrase must have \(sharedByteCounts.lowerBound) to \(sharedByteCounts.upperBound) bytes, "
        + "and no line breaks or other control characters"
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
      throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.generalRule)
    }
    self = passphrase
  }
}
