import Media
import Timeline

/// Reads the packets of the finished mix in order, with a look at the next.
final class MixReader {
  /// How the mix is coded.
  let parameters: StreamParameters
  /// Seconds per tick of the packets' times.
  let timeBase: RationalTime
  /// How many packets there are.
  let packetCount: Int
  /// Their bytes altogether.
  let byteCount: Int64
  private let demuxer: Demuxer
  private let packet: Packet
  private var isLoaded: Bool

  /// Opens the mix, and counts its packets.
  ///
  /// - Throws: ``AssemblyError`` with code `badMix`.
  init(path: String) throws {
    let counter = try Self.open(path)
    packet = try Packet()
    var (count, bytes) = (0, Int64(0))
    while try counter.read(into: packet) == .packet {
      count += 1
      bytes += Int64(packet.count)
    }
    (packetCount, byteCount) = (count, bytes)
    demuxer = try Self.open(path)
    parameters = demuxer.streams[0].parameters
    timeBase = demuxer.streams[0].timeBase
    isLoaded = try demuxer.read(into: packet) == .packet
  }

  /// Calls `body` with the packets that are presented before `end`, all that are left where it is `nil`.
  func forEachPacket(before end: RationalTime?, _ body: (Packet) throws -> Void) throws {
    let limit = try end.map { try $0.ticks(of: timeBase, rounding: .up) } ?? .max
    while isLoaded, (packet.time ?? 0) < limit {
      try body(packet)
      isLoaded = try demuxer.read(into: packet) == .packet
    }
  }

  private static func open(_ path: String) throws -> Demuxer {
    let demuxer = try Demuxer(source: try FileByteSource(path: path), named: path)
    guard demuxer.streams.count == 1, demuxer.streams[0].mediaKind == .audio else {
      throw AssemblyError(.badMix, "the mix is not one audio stream: \(path): mix again")
    }
    return demuxer
  }
}
