/// Writes numbers of any number of bits, most significant bit first.
package struct BitWriter {
  /// The bits written, followed by zeros up to the end of the last byte.
  package private(set) var bytes: [UInt8] = []
  /// The number of bits that are free in the last byte.
  private var free = 0

  package init() {}

  /// In bits, without the zeros that fill the last byte.
  package var count: Int { bytes.count * 8 - free }

  /// Writes the lowest bits of a number.
  package mutating func append(_ number: Int, bits: Int) {
    for place in stride(from: bits - 1, through: 0, by: -1) {
      append(bit: UInt8(number >> place & 1))
    }
  }

  /// Writes a number of variable length (ITU-T H.264, 9.1).
  package mutating func append(unsigned number: Int) {
    let code = number + 1
    let bits = Int.bitWidth - code.leadingZeroBitCount
    append(0, bits: bits - 1)
    append(code, bits: bits)
  }

  /// Writes the bits in a range of `source`.
  package mutating func append(_ source: [UInt8], _ range: Range<Int>) {
    var place = range.lowerBound
    while range.upperBound - place >= 8 {
      let (byte, shift) = (place >> 3, place & 7)
      let high = source[byte] << shift
      append(byte: shift == 0 ? high : high | source[byte + 1] >> (8 - shift))
      place += 8
    }
    while place < range.upperBound {
      append(bit: source[place >> 3] >> (7 - place & 7) & 1)
      place += 1
    }
  }

  private mutating func append(byte: UInt8) {
    if free == 0 {
      bytes.append(byte)
    } else {
      bytes[bytes.count - 1] |= byte >> (8 - free)
      bytes.append(byte << free)
    }
  }

  private mutating func append(bit: UInt8) {
    if free == 0 {
      bytes.append(0)
      free = 8
    }
    free -= 1
    bytes[bytes.count - 1] |= bit << free
  }

  /// Writes ones up to the end of the last byte.
  package mutating func align() {
    while free > 0 { append(bit: 1) }
  }
}
