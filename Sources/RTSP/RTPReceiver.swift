/// Receives the packets of a session in the form in which they are demultiplexed: whole pictures, with a payload type for
/// each stream, and with the streams on one clock.
///
/// Packets are held back until the sender reports of all streams have arrived, but no longer than five seconds. It needs
/// no clock: callers pass the time.
package struct RTPReceiver {
  /// A packet to demultiplex.
  package struct Packet: Hashable, Sendable {
    package let bytes: [UInt8]
    /// When it arrived.
    package let arrival: Duration
  }

  /// The description of the streams (SDP).
  package let description: [UInt8]
  private var receivers: [MediaReceiver]
  private var clock: CommonClock
  private let startTimestamps: [Int: UInt32]
  /// Whether the stream is one of pictures.
  private let isVideo: [Bool]
  /// The streams that the server has ended (RTCP BYE).
  private var ended: Set<Int> = []
  /// The packets that can be passed on, once the clocks are known.
  private var ready: ArraySlice<(stream: Int, packet: Packet)> = []
  private var heldSize = 0
  private var begun: Set<Int> = []
  private var firstArrival: Duration?
  private var isHolding: Bool
  /// Sender reports that arrived before the first packet of their stream.
  private var early: [Int: RTCPReport.Time] = [:]

  /// How long packets are held back.
  package static let patience = Duration.seconds(5)
  /// The maximum number of bytes that packets take while they are held back.
  private static let mostHeld = 64 << 20
  /// The maximum number of bytes that the incomplete pictures of all streams take.
  private static let mostIncomplete = 32 << 20

  /// Begins to receive streams.
  ///
  /// - Parameter startTimestamps: as in ``PlayingSession/startTimestamps``.
  package init(
    _ media: [SessionDescription.Media], startTimestamps: [Int: UInt32]
  ) {
    description = SessionDescription.text(for: media)
    receivers = media.enumerated().map { MediaReceiver($1, index: $0) }
    clock = CommonClock(rates: media.map(\.clockRate))
    isVideo = media.map { $0.kind == .video }
    self.startTimestamps = startTimestamps
    isHolding = media.count > 1
  }

  /// Whether nothing more can be received: the server has ended all streams (RTCP BYE), another sender has taken over, or
  /// timestamps have stepped by more than an hour.
  package var hasEnded: Bool {
    ended.count == receivers.count || receivers.contains(where: \.hasEnded)
  }

  /// The number of pictures that were left out because packets were missing.
  package var leftOut: Int { receivers.reduce(0) { $0 + $1.leftOut } }

  /// Whether packets are held back.
  package var isWaiting: Bool { isHolding && firstArrival != nil }

  /// Holds nothing back any longer, because nothing more arrives.
  package mutating func release() {
    guard isHolding else { return }
    isHolding = false
    begin()
  }

  /// Takes a packet of the session.
  package mutating func take(_ packet: PlayingSession.Packet, at now: Duration) {
    guard !packet.isControl else {
      return take(RTCPReport(packet.bytes), of: packet.media)
    }
    guard let received = RTPPacket(packet.bytes) else { return }
    for next in receivers[packet.media].take(received) {
      firstArrival = firstArrival ?? now
      noteFirst(of: packet.media, at: now)
      let bytes = next.bytes
      heldSize += bytes.count + PlayingSession.packetCost
      ready.append((packet.media, Packet(bytes: bytes, arrival: now)))
    }
    if receivers.reduce(0, { $0 + $1.heldSize }) > Self.mostIncomplete {
      receivers[packet.media].dropPicture()
    }
  }

  /// The next packet to demultiplex; `nil` if there is none yet.
  package mutating func next(at now: Duration) -> Packet? {
    if let firstArrival,
      clock.isCertain || hasEnded || now - firstArrival >= Self.patience
        || heldSize >= Self.mostHeld
    {
      release()
    }
    guard !isHolding, let (stream, packet) = ready.popFirst() else { return nil }
    heldSize -= packet.bytes.count + PlayingSession.packetCost
    // Fixes the start of the stream before its packets can be demultiplexed.
    _ = clock.start(of: stream)
    return packet
  }

  /// The start of a stream whose first packet was returned, in ticks after that of the leading stream.
  package mutating func start(of stream: Int) -> Int64 {
    receivers.indices.contains(stream) ? clock.start(of: stream) : 0
  }

  /// Makes pictures lead, if some have arrived.
  private mutating func begin() {
    let leading = ready.first { isVideo[$0.stream] } ?? ready.first
    if let leading { _ = clock.start(of: leading.stream) }
  }

  private mutating func noteFirst(of stream: Int, at now: Duration) {
    guard begun.insert(stream).inserted else { return }
    let stated = startTimestamps[stream].flatMap { receivers[stream].elapsed(to: $0) }
    clock.noteFirst(of: stream, at: now, stated: stated)
    if let time = early.removeValue(forKey: stream) { take(time, of: stream) }
  }

  private mutating func take(_ report: RTCPReport, of stream: Int) {
    if report.isBye { ended.insert(stream) }
    if let time = report.time { take(time, of: stream) }
  }

  private mutating func take(_ time: RTCPReport.Time, of stream: Int) {
    guard let elapsed = receivers[stream].elapsed(to: time.timestamp) else {
      early[stream] = time
      return
    }
    let moved = clock.note(time.clock, at: elapsed, of: stream)
    if moved != 0 { receivers[stream].move(by: moved) }
  }
}
