import Crypto
import Media
import Planning
import Timeline

/// Reads the packets of the mix in order, one packet ahead.
///
/// The mix is finished, or it arrives in parts. The file that is assembled is the same.
final class MixReader {
  /// The mix's coding parameters. The bit rate is unknown, because that of the first part is not that of the mix.
  let parameters: StreamParameters
  /// Seconds per tick of the packets' times.
  let timeBase: RationalTime
  /// The number of packets, or an upper bound.
  let packetLimit: Int
  /// The total size of the packets in bytes, or an upper bound.
  let byteLimit: Int64
  /// The number of decoded samples before the first audible one.
  let delay: Int
  /// The length of a finished mix in ticks.
  let length: Int64
  /// Each packet's time and the bytes up to its end, if sizes are recorded.
  private let sizes: [(time: Int64, total: Int)]
  /// The parts; `nil` if the mix is finished.
  private let parts: SoundPartReader?
  private let read: (Packet) throws -> Bool
  private let packet: Packet
  private var isLoaded = false

  /// Opens a finished mix, and counts its packets.
  ///
  /// - Parameters:
  ///   - blocks: the block digests that its bytes are checked against.
  ///   - length: the file's length in seconds, if a part of it can be assembled before the mix is finished; the limits
  ///     are then those of any mix of this length.
  ///   - notesSizes: whether ``bytes(before:)`` will be called.
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` with code `damagedAsset`.
  init(
    path: String, blocks: BlockDigests? = nil, for length: RationalTime? = nil,
    notesSizes: Bool = false
  ) throws {
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
    (delay, self.length) = (Int(-start), end)
    self.sizes = sizes
    let demuxer = try Self.open(path, blocks)
    parameters = try Self.withoutBitRate(demuxer.streams[0].parameters)
    timeBase = demuxer.streams[0].timeBase
    let bound =
      if let length { try SoundBound(parameters, length: length) } else { nil as SoundBound? }
    packetLimit = max(count, bound?.packets ?? 0)
    byteLimit = max(bytes, bound?.bytes ?? 0)
    parts = nil
    read = { try demuxer.read(into: $0) == .packet }
  }

  /// Opens a mix that arrives in parts.
  ///
  /// - Parameters:
  ///   - folder: the folder with the parts' files.
  ///   - first: the first part.
  ///   - length: the file's length in seconds.
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` if the part cannot be read.
  init(parts folder: String, from first: SoundPart, for length: RationalTime) throws {
    let parts = try SoundPartReader(in: folder, from: first, for: length)
    parameters = try Self.withoutBitRate(parts.parameters)
    timeBase = parts.timeBase
    (packetLimit, byteLimit) = (parts.bound.packets, parts.bound.bytes)
    (delay, self.length, sizes) = (Int(max(-first.start, 0)), 0, [])
    packet = try Packet()
    self.parts = parts
    read = parts.read
  }

  /// Adds the next part of a mix that arrives in parts.
  ///
  /// - Throws: ``AssemblyError`` with code `badMix` if it is not the next part, or does not match its description.
  func add(_ part: SoundPart) throws {
    guard let parts else {
      throw AssemblyError(.badMix, "the sound is finished, and has no part \(part.number)")
    }
    try parts.add(part)
  }

  /// Whether nothing follows the packets that were added so far.
  var isWhole: Bool { parts?.isWhole ?? true }

  /// Calls `body` with the packets that are presented before `end`, or with all remaining ones if it is `nil`.
  ///
  /// - Throws: ``AssemblyError`` with code `incomplete` if a part with such packets was not added.
  func forEachPacket(before end: RationalTime?, _ body: (Packet) throws -> Void) throws {
    let limit = try end.map { try $0.ticks(of: timeBase, rounding: .up) } ?? .max
    while try load(), (packet.time ?? 0) < limit {
      try body(packet)
      isLoaded = false
    }
    guard let parts, !isLoaded, !parts.isWhole else { return }
    guard let end, parts.end >= end else {
      throw AssemblyError(
        .incomplete, "the sound after \(parts.end.shortDecimal()) s has not arrived")
    }
  }

  /// Reads the next packet unless that has been done. Returns whether there is one.
  private func load() throws -> Bool {
    if !isLoaded { isLoaded = try read(packet) }
    return isLoaded
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

  private static func withoutBitRate(_ other: StreamParameters) throws -> StreamParameters {
    let parameters = try StreamParameters(copying: other)
    parameters.clearBitRate()
    return parameters
  }

  /// Opens a mix.
  static func open(_ path: String, _ blocks: BlockDigests?) throws -> Demuxer {
    let file = try FileByteSource(path: path)
    let source: any ByteSource =
      if let blocks { try BlockByteSource(verifying: file, by: blocks, named: path) } else { file }
    return try open(source, named: path)
  }

  /// Opens a mix or a part of one.
  static func open(_ source: any ByteSource, named path: String) throws -> Demuxer {
    let demuxer = try Demuxer(source: source, named: path)
    guard demuxer.streams.count == 1, demuxer.streams[0].mediaKind == .audio else {
      throw AssemblyError(
        .badMix, "the mix is not a single audio stream: \(path): mix the sound again")
    }
    return demuxer
  }
}
