import Media
import Timeline

/// Upper bounds on the packets of a mix, known from its length alone.
struct SoundBound {
  /// The packets of the encoder's delay, and of the fractions of packets at both ends, rounded up.
  private static let furtherPackets = 16
  /// The maximum size of a packet in bytes per channel: 6144 bits (ISO/IEC 14496-3, 4.5.1.1).
  private static let packetBytes = 768

  /// The number of packets.
  let packets: Int
  /// Their total size.
  let bytes: Int64

  /// The bounds for AAC; `nil` for other codecs.
  ///
  /// - Parameter length: the length of the mix in seconds.
  init?(_ parameters: StreamParameters, length: RationalTime) throws {
    guard parameters.codec == "aac" else { return nil }
    let packet = try RationalTime(PacketGrid.length, Int64(parameters.sampleRate))
    packets = Int(try length.ticks(of: packet, rounding: .up)) + Self.furtherPackets
    bytes = Int64(packets * Self.packetBytes * parameters.channels)
  }
}
