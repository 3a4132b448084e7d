import Media
import Recording

/// Reads the packets of a live source. Holds back each packet until it is known whether some of its bytes were lost.
final class LivePackets: LivePacketReader {
  private let demuxer: LiveDemuxer
  private let source: LiveSource
  private let identifiers: [Int: Int]
  /// Whether the bytes are not those of a transport stream, in which losses can be found.
  private let isUnchecked: Bool
  /// For each stream, the packets that begin at the same position: in one packet of the elementary stream.
  private var held: [Int: (position: Int64, packets: [LivePacket])] = [:]
  /// The streams whose next packet follows a loss.
  private var broken: Set<Int> = []
  private var ready: ArraySlice<LivePacket> = []
  private var hasEnded = false
  /// The last known position of a packet. Packets that begin in the middle of a packet of the elementary stream have
  /// none.
  private var lastPosition: Int64 = 0

  var streams: [LiveDemuxer.Stream] { demuxer.streams }

  init(_ demuxer: LiveDemuxer, from source: LiveSource) {
    self.demuxer = demuxer
    self.source = source
    isUnchecked = source.format != .transportStream
    identifiers = Dictionary(
      demuxer.streams.map { ($0.index, $0.identifier) }, uniquingKeysWith: { first, _ in first })
  }

  /// Waits for the next packet; `nil` at the end.
  func next() throws -> LivePacket? {
    while ready.isEmpty, !hasEnded { try read() }
    return ready.popFirst()
  }

  private func read() throws {
    let packet = try Packet()
    guard try demuxer.read(into: packet) == .packet else {
      hasEnded = true
      for stream in held.keys.sorted() { release(stream, isDamaged: isCutShort(stream)) }
      return
    }
    let (stream, position) = (packet.streamIndex, packet.position)
    if position >= 0 { lastPosition = position }
    let arrived = LivePacket(
      stream: stream, packet: packet, arrival: source.arrival(of: lastPosition),
      isDamaged: false, followsLoss: false)
    // A stream that began later than the others is not recorded. Losses of RTP are handled before the packets are
    // demultiplexed, and the bytes of other formats arrive completely.
    guard let identifier = identifiers[stream], !isUnchecked else {
      ready.append(arrived)
      return
    }
    if position >= 0, held[stream]?.position != position {
      let loss = source.takeLoss(of: identifier, upTo: position)
      release(stream, isDamaged: loss?.isBetweenUnits == false)
      if loss != nil { broken.insert(stream) }
      held[stream] = (position, [])
    }
    held[stream, default: (position, [])].packets.append(arrived)
    releaseIdle(at: arrived.arrival)
  }

  /// How long a packet waits for the next one of its stream.
  private static let patience = Duration.seconds(1)

  /// Releases packets whose stream has paused.
  private func releaseIdle(at now: Duration) {
    for (stream, waiting) in held.sorted(by: { $0.key < $1.key }) {
      guard let last = waiting.packets.last, now - last.arrival > Self.patience else { continue }
      guard let identifier = identifiers[stream] else { continue }
      // Later bytes of the stream may already have been read, so only losses up to here count.
      let loss = source.takeLoss(of: identifier, upTo: lastPosition)
      release(stream, isDamaged: loss?.isBetweenUnits == false)
      if loss != nil { broken.insert(stream) }
    }
  }

  /// Whether a stream seems to end in the middle of a packet.
  private func isCutShort(_ stream: Int) -> Bool {
    guard let identifier = identifiers[stream] else { return false }
    return source.takeLoss(of: identifier, upTo: .max)?.isBetweenUnits == false
      || !source.seemsComplete(identifier)
  }

  private func release(_ stream: Int, isDamaged: Bool) {
    for var packet in held.removeValue(forKey: stream)?.packets ?? [] {
      packet.isDamaged = isDamaged
      packet.followsLoss = broken.remove(stream) != nil
      ready.append(packet)
    }
  }
}
