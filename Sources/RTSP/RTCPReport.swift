/// The statements of a packet of RTCP about a stream (RFC 3550, 6). Several reports can share a packet.
struct RTCPReport: Hashable {
  /// A time of the sender's clock and the RTP timestamp for the same instant.
  struct Time: Hashable {
    /// The sender's time in units of 2⁻³² s, modulo 2⁶⁴.
    let clock: UInt64
    let timestamp: UInt32
  }

  /// The time that the last sender report states.
  private(set) var time: Time?
  /// Whether the sender ends the stream (BYE).
  private(set) var isBye = false

  private static let headerSize = 4
  private static let senderReport: UInt8 = 200
  private static let bye: UInt8 = 203

  init(_ bytes: [UInt8]) {
    var start = 0
    while bytes.count - start >= Self.headerSize, bytes[start] >> 6 == 2 {
      let length = 4 * (1 + Int(BigEndian.number(bytes[start + 2..<start + 4])))
      guard bytes.count - start >= length else { return }
      switch bytes[start + 1] {
      case Self.senderReport where length >= 28:
        let clock = BigEndian.number(bytes[start + 8..<start + 16])
        // Zero stands for a sender without a clock.
        guard clock != 0 else { break }
        time = Time(
          clock: clock,
          timestamp: UInt32(truncatingIfNeeded: BigEndian.number(bytes[start + 16..<start + 20])))
      case Self.bye: isBye = true
      default: break
      }
      start += length
    }
  }
}
