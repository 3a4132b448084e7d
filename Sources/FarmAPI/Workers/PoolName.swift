/// The name of a pool: some of the farm's workers, which a job may ask for.
public struct PoolName: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The name: 1 to 64 letters, digits, dots, hyphens and underscores.
  public let description: String

  /// The regular expression that every name matches.
  public static let pattern = "^[A-Za-z0-9._-]{1,64}$"

  /// Checks a name; `nil` if it is not valid.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
          || [0x2d, 0x2e, 0x5f].contains(byte)
      })
    else { return nil }
    description = text
  }

  /// Reads a name.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let name = PoolName(text) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription:
            "a pool's name has 1 to 64 letters, digits, dots, hyphens and underscores"
        ))
    }
    self = name
  }

  /// Writes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
