/// Reads the variable-length numbers of H.264 (ITU-T H.264, 9.1).
package enum ExpGolomb {
  /// The number that begins after some bytes of a unit; `nil` if it is missing or incomplete.
  package static func first(in unit: [UInt8], after count: Int) -> Int? {
    numbers(1, in: unit, after: count)?.first
  }

  /// The numbers that begin after some bytes of a unit, up to 128 bits; `nil` if any is missing or incomplete.
  package static func numbers(_ amount: Int, in unit: [UInt8], after count: Int) -> [Int]? {
    var reader = BitReader(UnitEscapes.removed(from: unit.prefix(count + 16)).dropFirst(count))
    let numbers = (0..<amount).map { _ in reader.unsigned() }
    return reader.isWithin ? numbers : nil
  }
}
