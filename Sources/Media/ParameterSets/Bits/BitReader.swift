/// Reads numbers of any number of bits, most significant bit first. Beyond the end it reads zeros.
package struct BitReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits read.
  package private(set) var place = 0

  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Whether nothing was read beyond the end.
  package var isWithin: Bool { place <= bytes.count * 8 }

  /// The next number of up to 32 bits.
  package mutating func number(_ bits: Int) -> Int {
    (0..<bits).reduce(0) { number, _ in number << 1 | bit() }
  }

  /// The next bit as a Boolean.
  package mutating func flag() -> Bool { bit() == 1 }

  package mutating func skip(_ bits: Int) { place += bits }

  /// Skips the rest of a byte of which some bits were read.
  package mutating func align() { place = (place + 7) / 8 * 8 }

  /// Skips a number of variable length (AV1 bitstream specification, 4.10.3).
  package mutating func skipVariable() {
    var zeros = 0
    while isWithin, !flag() { zeros += 1 }
    if zeros < 32 { skip(zeros) }
  }

  /// The next number of variable length (ITU-T H.264, 9.1). A number of more than 32 bits counts as beyond the end.
  package mutating func unsigned() -> Int {
    var zeros = 0
    while isWithin, !flag() { zeros += 1 }
    guard zeros <= 32 else {
      place = bytes.count * 8 + 1
      return 0
    }
    return 1 << zeros - 1 + number(zeros)
  }

  /// The next signed number of variable length (ITU-T H.264, 9.1.1).
  package mutating func signed() -> Int {
    let code = unsigned()
    return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
  }

  /// Whether the rest is a one followed by zeros up to the end (AV1 bitstream specification, 5.3.4).
  package mutating func endsWithTrailingBits() -> Bool {
    guard flag() else { return false }
    while place < bytes.count * 8 {
      if flag() { return false }
    }
    return isWithin
  }

  private mutating func bit() -> Int {
    let (byte, shift) = (place >> 3, 7 - place & 7)
    place += 1
    guard byte < bytes.count else { return 0 }
    return Int(bytes[bytes.startIndex + byte] >> shift & 1)
  }
}
