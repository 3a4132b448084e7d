/// A packet of a stream (RFC 3550, 5.1).
struct RTPPacket: Hashable {
  /// Whether it ends a picture, or what its payload's format defines.
  var isMarked: Bool
  var payloadType: UInt8
  var sequence: UInt16
  var timestamp: UInt32
  /// The number of the sender (SSRC).
  var source: UInt32
  var payload: [UInt8]

  private static let headerSize = 12
  private static let version: UInt8 = 2

  /// Reads a packet; `nil` if it is damaged. The payload may be empty.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerSize, bytes[0] >> 6 == Self.version else { return nil }
    isMarked = bytes[1] & 0x80 != 0
    payloadType = bytes[1] & 0x7F
    sequence = UInt16(truncatingIfNeeded: BigEndian.number(bytes[2..<4]))
    timestamp = UInt32(truncatingIfNeeded: BigEndian.number(bytes[4..<8]))
    source = UInt32(truncatingIfNeeded: BigEndian.number(bytes[8..<12]))
    var start = Self.headerSize + 4 * Int(bytes[0] & 0x0F)
    if bytes[0] & 0x10 != 0 {
      guard bytes.count >= start + 4 else { return nil }
      start += 4 + 4 * Int(BigEndian.number(bytes[start + 2..<start + 4]))
    }
    let padding = bytes[0] & 0x20 != 0 ? Int(bytes[bytes.count - 1]) : 0
    guard start + padding <= bytes.count else { return nil }
    payload = Array(bytes[start..<bytes.count - padding])
  }

  init(
    isMarked: Bool, payloadType: UInt8, sequence: UInt16, timestamp: UInt32, source: UInt32,
    payload: [UInt8]
  ) {
    self.isMarked = isMarked
    self.payloadType = payloadType
    self.sequence = sequence
    self.timestamp = timestamp
    self.source = source
    self.payload = payload
  }

  /// The packet's bytes, without extensions and padding.
  var bytes: [UInt8] {
    [Self.version << 6, (isMarked ? 0x80 : 0) | payloadType]
      + BigEndian.bytes(UInt64(sequence), count: 2) + BigEndian.bytes(UInt64(timestamp), count: 4)
      + BigEndian.bytes(UInt64(source), count: 4) + payload
  }
}
