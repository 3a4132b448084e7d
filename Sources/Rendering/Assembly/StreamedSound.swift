import Crypto
import Media
import Timeline

/// Reads the packets of the finished mix in a range of time.
struct StreamedSound: PieceSound {
  /// The mix's coding parameters.
  let parameters: StreamParameters
  /// Seconds per tick of the packets' times.
  let timeBase: RationalTime
  private let demuxer: Demuxer

  /// Opens the mix. Its bytes are checked against the block digests as they are read.
  ///
  /// - Throws: ``AssemblyError`` with code `badMix`; `MediaError` with code `damagedAsset`.
  init(path: String, blocks: BlockDigests?) throws {
    demuxer = try MixReader.open(path, blocks)
    parameters = demuxer.streams[0].parameters
    timeBase = demuxer.streams[0].timeBase
  }

  func forEachPacket(
    from start: RationalTime?, before end: RationalTime?, _ body: (Packet) throws -> Bool
  ) throws {
    let first = try start.map { try $0.ticks(of: timeBase, rounding: .up) }
    let limit = try end.map { try $0.ticks(of: timeBase, rounding: .up) } ?? .max
    if let first { try demuxer.seek(stream: demuxer.streams[0].index, to: first) }
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet, let time = packet.time, time < limit {
      if time >= first ?? .min, try !body(packet) { return }
    }
  }
}
