/// The header of an AAC frame in a stream without a container of its own (ISO/IEC 14496-3, 1.A.2.2).
public struct ADTSHeader: Hashable, Sendable {
  /// The `AudioSpecificConfig` that describes the frame (ISO/IEC 14496-3, 1.6.2.1).
  public let configuration: [UInt8]
  /// The length of the header in bytes.
  public let byteCount: Int

  /// Reads the header of a packet; `nil` if the packet does not consist of one header and one frame.
  public init?(of packet: UnsafeRawBufferPointer) {
    guard packet.count > 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0, packet[6] & 0b11 == 0
    else { return nil }
    let length = Int(packet[3] & 0b11) << 11 | Int(packet[4]) << 3 | Int(packet[5] >> 5)
    byteCount = packet[1] & 1 == 1 ? 7 : 9
    guard length == packet.count, packet.count > byteCount else { return nil }
    let objectType = packet[2] >> 6 + 1
    let rateIndex = packet[2] >> 2 & 0b1111
    let channels = packet[2] << 2 & 0b100 | packet[3] >> 6
    // A configuration of 0 channels is described in the frame itself.
    guard rateIndex < 13, channels > 0 else { return nil }
    configuration = [
      objectType << 3 | rateIndex >> 1, rateIndex << 7 | channels << 3,
    ]
  }
}
