/// Packets that were read while gaps were searched, so that their sources need not be read again to copy them.
///
/// A source's sound is a small part of the file, but lies all over it.
final class KeptPackets {
  /// The maximum number of bytes: about an hour at 128 kb/s.
  private static let limit = 64 << 20
  /// About what a packet takes besides its bytes.
  private static let overhead = 96

  private struct Key: Hashable {
    let range: Int
    let packet: Int
  }

  private var packets: [Key: [UInt8]] = [:]
  private var byteCount = 0

  /// The bytes of a packet of a range of the mix; `nil` if they are not kept.
  func packet(_ number: Int, ofRange range: Int) -> [UInt8]? {
    packets[Key(range: range, packet: number)]
  }

  /// Keeps the bytes of a packet, if there is room.
  func keep(_ bytes: [UInt8], _ number: Int, ofRange range: Int) {
    guard byteCount + bytes.count + Self.overhead <= Self.limit else { return }
    byteCount += bytes.count + Self.overhead
    packets[Key(range: range, packet: number)] = bytes
  }
}
