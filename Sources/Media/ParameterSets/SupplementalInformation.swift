/// The content of an H.264 unit of supplemental enhancement information (ITU-T H.264, 7.3.2.3 and annex D).
struct SupplementalInformation {
  /// A recovery point (D.1.8).
  struct Recovery: Hashable {
    /// The number of reference pictures after which pictures are correct.
    var pictures: Int
    /// Whether they are then bit-exact.
    var isExact: Bool
  }

  /// The build of x264 that wrote the stream, if the unit names one.
  private(set) var x264Build: Int?
  /// The recovery point, if the unit has one.
  private(set) var recovery: Recovery?

  /// An upper bound on the length of the messages that are parsed here.
  private static let longest = 4096

  init(_ unit: Slice<UnsafeRawBufferPointer>) {
    let bytes = UnitEscapes.removed(from: unit.dropFirst().prefix(Self.longest))
    var place = 0
    while let kind = Self.number(in: bytes, at: &place),
      let length = Self.number(in: bytes, at: &place), place < bytes.count
    {
      let message = bytes[place..<min(place + length, bytes.count)]
      switch kind {
      case 5: x264Build = Self.build(in: message.dropFirst(16)) ?? x264Build
      case 6: recovery = Self.recovery(in: Array(message))
      default: break
      }
      place += length
    }
  }

  /// A number that is coded as the sum of bytes of 255 and a last byte.
  private static func number(in bytes: [UInt8], at place: inout Int) -> Int? {
    var sum = 0
    while place < bytes.count {
      defer { place += 1 }
      sum += Int(bytes[place])
      if bytes[place] != 255 { return sum }
    }
    return nil
  }

  /// The build number in libx264's text, e.g. `x264 - core 142`.
  private static func build(in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array("x264 - core ".utf8)
    guard text.starts(with: mark) else { return nil }
    let digits = text.dropFirst(mark.count).prefix(6).prefix { (0x30...0x39).contains($0) }
    // Decoders ignore build 0.
    return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// A unit that names a build of x264 as x264 itself does: user data under its identifier (ITU-T H.264, D.1.7).
  static func unit(naming x264Build: Int) -> [UInt8] {
    let identifier: [UInt8] = [
      0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE,
      0xEF,
    ]
    let message = identifier + Array("x264 - core \(x264Build)".utf8)
    // Its length is one byte, and nothing in it needs an escape.
    return [UnitLayout.supplementalInformation, 5, UInt8(message.count)] + message + [0x80]
  }

  private static func recovery(in message: [UInt8]) -> Recovery? {
    guard let pictures = ExpGolomb.first(in: message, after: 0) else { return nil }
    // The flag follows the number, which has this many bits.
    let place = 2 * (Int.bitWidth - (pictures + 1).leadingZeroBitCount) - 1
    guard place / 8 < message.count else { return nil }
    return Recovery(pictures: pictures, isExact: message[place / 8] >> (7 - place % 8) & 1 == 1)
  }
}
