/// The bytes that keep the content of a unit from looking like a start code: a 3 after two zeros (ITU-T H.264, 7.3.1,
/// and H.265, 7.3.1.1).
package enum UnitEscapes {
  /// The bytes without escapes.
  package static func removed(from unit: some Sequence<UInt8>) -> [UInt8] {
    var (bytes, zeros) = ([UInt8](), 0)
    bytes.reserveCapacity(unit.underestimatedCount)
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    return bytes
  }

  package static func added(to bytes: some Sequence<UInt8>) -> [UInt8] {
    var (unit, zeros) = ([UInt8](), 0)
    unit.reserveCapacity(bytes.underestimatedCount + 16)
    for byte in bytes {
      if zeros >= 2, byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      unit.append(byte)
    }
    return unit
  }
}
