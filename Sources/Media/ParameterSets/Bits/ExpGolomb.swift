/// Reads the variable-length numbers of H.264 (ITU-T H.264, 9.1).
enum ExpGolomb {
  /// The number that begins after some bytes of a unit; `nil` if it is missing or incomplete.
  static func first(in unit: [UInt8], after count: Int) -> Int? {
    numbers(1, in: unit, after: count)?.first
  }

  /// The numbers that begin after some bytes of a unit, up to 128 bits; `nil` if any is missing or incomplete.
  static func numbers(_ amount: Int, in unit: [UInt8], after count: Int) -> [Int]? {
    // A zero run may carry an escape byte (7.3.1).
    var bytes: [UInt8] = []
    for (place, byte) in unit.prefix(count + 16).enumerated() {
      let isEscape = byte == 3 && place >= 2 && unit[place - 1] == 0 && unit[place - 2] == 0
      if !isEscape { bytes.append(byte) }
    }
    let bits = bytes.dropFirst(count).flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    var numbers: [Int] = []
    var rest = bits[...]
    while numbers.count < amount {
      guard let start = rest.firstIndex(of: 1) else { return nil }
      let zeros = start - rest.startIndex
      guard zeros < 32, start + zeros < rest.endIndex else { return nil }
      numbers.append(rest[start...(start + zeros)].reduce(0) { $0 << 1 | Int($1) } - 1)
      rest = rest[(start + zeros + 1)...]
    }
    return numbers
  }
}
