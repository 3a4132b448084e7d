/// The name of a pool: some of the farm's workers, which a job may ask for.
public struct PoolName: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The name itself.
  public let description: String

  /// The possible numbers of characters.
  private static let lengths = 1...64
  /// A description of valid names that can follow "must be" or "has".
  public static let contents =
    "\(lengths.lowerBound) to \(lengths.upperBound) letters, digits, dots, hyphens and underscores"
  /// The regular expression that every name matches.
  public static let pattern = "^[A-Za-z0-9._-]{\(lengths.lowerBound),\(lengths.upperBound)}$"

  /// Checks a name; `nil` if it is not valid.
  public init?(_ text: String) {
    guard Self.lengths.contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
          || [0x2d, 0x2e, 0x5f].contains(byte)
      })
    else { return nil }
    description = text
  }

  /// Decodes a string.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let name = PoolName(text) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "a pool's name has \(Self.contents)"))
    }
    self = name
  }

  /// Encodes a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
