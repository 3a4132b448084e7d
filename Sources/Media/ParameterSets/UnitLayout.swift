/// The layout of the units (NAL units) of H.264 and H.265 in a stream's packets.
struct UnitLayout: Hashable, Sendable {
  /// Whether the codec is H.265.
  let isHEVC: Bool
  /// Bytes of the length before each unit; `nil` if start codes separate the units (Annex B).
  let lengthSize: Int?

  /// The layout for a codec and its out-of-band parameter sets; `nil` for other codecs.
  init?(codec: String, parameterSets: [UInt8]) {
    guard codec == "h264" || codec == "hevc" else { return nil }
    isHEVC = codec == "hevc"
    // ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1: a record of version 1. Annex B begins with zeros.
    let place = isHEVC ? 21 : 4
    lengthSize =
      parameterSets.first == 1 && parameterSets.count > place
      ? Int(parameterSets[place] & 3) + 1 : nil
  }

  /// The kind of a unit by its first byte (ITU-T H.264, 7.3.1, and H.265, 7.3.1.2).
  func kind(_ first: UInt8) -> UInt8 { isHEVC ? first >> 1 & 0x3F : first & 0x1F }

  /// The ranges of the units in a packet, without lengths and start codes. Truncated units are left out.
  func units(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let lengthSize else { return Self.startCodeUnits(in: bytes) }
    var units: [Range<Int>] = []
    var place = 0
    while place + lengthSize < bytes.count {
      let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      place += lengthSize
      guard length <= bytes.count - place else { break }
      if length > 0 { units.append(place..<place + length) }
      place += length
    }
    return units
  }

  /// Whether the length fields of a packet's units add up to the packet. Always true for start codes.
  func isConsistent(_ packet: Packet) -> Bool {
    guard let lengthSize else { return true }
    return packet.withUnsafeBytes { bytes in
      var place = 0
      while place + lengthSize <= bytes.count {
        let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - place - lengthSize else { return false }
        place += lengthSize + length
      }
      return place == bytes.count
    }
  }

  /// Splits a byte stream at its start codes (ITU-T H.264, annex B): the bytes 0, 0, 1 start a unit, and zeros at its
  /// end do not belong to it.
  ///
  /// - Parameter isLast: returns whether the search stops at a unit with the given first byte, which then extends to
  ///   the end.
  static func startCodeUnits(
    in bytes: UnsafeRawBufferPointer, until isLast: (UInt8) -> Bool = { _ in false }
  ) -> [Range<Int>] {
    var units: [Range<Int>] = []
    var start: Int?
    func close(at end: Int) {
      guard let start else { return }
      var end = end
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      if end > start { units.append(start..<end) }
    }
    var place = 0
    while place + 2 < bytes.count {
      if bytes[place + 2] > 1 {
        place += 3
      } else if bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1 {
        close(at: place)
        start = place + 3
        place += 3
        if place < bytes.count, isLast(bytes[place]) { break }
      } else {
        place += 1
      }
    }
    close(at: bytes.count)
    return units
  }
}
