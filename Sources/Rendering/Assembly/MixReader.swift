import Crypto
import Media
import Timeline

/// Reads the packets of the finished mix in order, one packet ahead.
final class MixReader {
  /// The mix's coding parameters.
  let parameters: StreamParameters
  /// Seconds per tick of the packets' times.
  let timeBase: RationalTime
  let packetCount: Int
  /// The total size of the packets in bytes.
  let byteCount: Int64
  /// The number of decoded samples before the first audible one.
  let delay: Int
  /// The length of the mix in ticks.
  let length: Int64
  /// Each packet's time and the bytes up to its end, if sizes are recorded.
  private let sizes: [(time: Int64, total: Int)]
  private let demuxer: Demuxer
  private let packet: Packet
  private var isLoaded: Bool

  /// Opens the mix, and counts its packets.
  ///
  /// - Parameters:
  ///   - blocks: the block digests that its bytes are checked against.
  ///   - notesSizes: whether ``bytes(before:)`` will be called.
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` with code `damagedAsset`.
  init(path: String, blocks: BlockDigests? = nil, notesSizes: Bool = false) throws {
    let counter = try Self.open(path, blocks)
    packet = try Packet()
    var (count, bytes) = (0, Int64(0))
    var (start, end) = (Int64(0), Int64(0))
    var sizes: [(time: Int64, total: Int)] = []
    while try counter.read(into: packet) == .packet {
      count += 1
      bytes += Int64(packet.count)
      start = min(start, packet.time ?? 0)
      end = max(end, (packet.time ?? 0) + packet.duration)
      if notesSizes { sizes.append((packet.time ?? 0, Int(bytes))) }
    }
    (packetCount, byteCount) = (count, bytes)
    (delay, length) = (Int(-start), end)
    self.sizes = sizes
    demuxer = try Self.open(path, blocks)
    parameters = demuxer.streams[0].parameters
    timeBase = demuxer.streams[0].timeBase
    isLoaded = try demuxer.read(into: packet) == .packet
  }

  /// Calls `body` with the packets that are presented before `end`, or with all remaining ones if it is `nil`.
  func forEachPacket(before end: RationalTime?, _ body: (Packet) throws -> Void) throws {
    let limit = try end.map { try $0.ticks(of: timeBase, rounding: .up) } ?? .max
    while isLoaded, (packet.time ?? 0) < limit {
      try body(packet)
      isLoaded = try demuxer.read(into: packet) == .packet
    }
  }

  /// The bytes of all packets that are presented before `end`.
  func bytes(before end: RationalTime) throws -> Int {
    let limit = try end.ticks(of: timeBase, rounding: .up)
    var (low, high) = (0, sizes.count)
    while low < high {
      let middle = (low + high) / 2
      if sizes[middle].time < limit { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : sizes[low - 1].total
  }

  /// Opens a mix.
  static func open(_ path: String, _ blocks: BlockDigests?) throws -> Demuxer {
    let file = try FileByteSource(path: path)
    let source: any ByteSource =
      if let blocks { try BlockByteSource(verifying: file, by: blocks, named: path) } else { file }
    let demuxer = try Demuxer(source: source, named: path)
    guard demuxer.streams.count == 1, demuxer.streams[0].mediaKind == .audio else {
      throw AssemblyError(
        .badMix, "the mix is not a single audio stream: \(path): mix the sound again")
    }
    return demuxer
  }
}
