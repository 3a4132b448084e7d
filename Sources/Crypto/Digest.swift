/// A SHA-256 digest: 32 bytes, written as 64 lowercase hexadecimal digits.
public struct Digest: Hashable, Sendable {
  /// The number of bytes in a digest.
  public static let byteCount = 32

  /// The 32 bytes.
  public let bytes: [UInt8]

  /// Creates a digest from its 32 bytes. Returns `nil` for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Creates a digest from 64 hexadecimal digits. Returns `nil` for other text.
  public init?(hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    for pair in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Self.value(ofDigit: digits[pair]),
        let low = Self.value(ofDigit: digits[pair + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  private static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension Digest: CustomStringConvertible {
  /// The digest as 64 lowercase hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * Self.byteCount)
    for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Digest: Comparable {
  /// Compares the digests byte by byte.
  public static func < (a: Digest, b: Digest) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension Digest: Codable {
  /// Encodes the hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Decodes 64 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = Digest(hex: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a digest is 64 hexadecimal digits")
    }
    self = digest
  }
}
