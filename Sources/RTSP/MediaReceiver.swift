/// Receives the packets of one stream. Returns those of whole pictures only, numbered without gaps.
///
/// After a loss, pictures are left out until one with which decoding can start. Parameter sets of the description are
/// put before the pictures that need them, until the stream contains its own, which may be newer.
struct MediaReceiver {
  private let media: SessionDescription.Media
  /// The payload type and the sender's number of the packets that are returned.
  private let payloadType: UInt8
  private let source: UInt32
  private let units: PictureUnits?
  private let parameterSets: [[UInt8]]
  /// Whether the stream contains parameter sets.
  private var hasOwnSets = false
  private var sender: UInt32?
  private var lastSequence: UInt16?
  private var nextSequence: UInt16 = 0
  private var timestamps: Timestamps?
  /// The packets of the picture that is arriving.
  private var picture: [RTPPacket] = []
  /// Whether packets before the next one may be missing, as at the start of a stream.
  private var mayLackStart: Bool
  /// The timestamp of a picture of which packets are missing.
  private var incomplete: UInt32?
  /// Whether pictures are left out until one with which decoding can start.
  private var isWaiting = false
  /// The ticks by which later timestamps are moved.
  private var shift: Int64 = 0
  /// The timestamp of the last picture that was left out.
  private var lastLeftOut: UInt32?

  /// The timestamp of the first packet that is returned. libav takes 0 for an unknown one.
  private static let firstTimestamp: Int64 = 1 << 16
  /// The number of packets by which one can be late. RTP in a connection is not reordered, so that a longer step back is
  /// another numbering.
  private static let mostLate: Int16 = 100
  /// The longest step from one timestamp to the next, in seconds.
  private static let longestStep: Int64 = 3600

  init(_ media: SessionDescription.Media, index: Int) {
    self.media = media
    payloadType = SessionDescription.payloadType(of: index)
    source = UInt32(index + 1)
    units = media.kind == .video ? PictureUnits(media.encoding) : nil
    mayLackStart = units != nil
    parameterSets = media.parameterSets
  }

  /// Whether later packets have nothing in common with the earlier ones, because another sender has taken over or the
  /// timestamps have stepped by more than an hour.
  private(set) var hasEnded = false

  /// The number of bytes that the packets of the picture that is arriving take in memory.
  private(set) var heldSize = 0

  /// The number of pictures that were left out because packets were missing.
  private(set) var leftOut = 0

  /// The ticks from the first packet that is returned to an RTP timestamp; `nil` if there is none yet.
  func elapsed(to timestamp: UInt32) -> Int64? { timestamps?.elapsed(to: timestamp) }

  /// Moves later timestamps by a number of ticks.
  mutating func move(by ticks: Int64) { shift += ticks }

  /// Takes a packet.
  ///
  /// - Returns: the packets that can be passed on.
  mutating func take(_ packet: RTPPacket) -> [RTPPacket] {
    let isOfStream = packet.payloadType == media.payloadType
    // All packets of a sender share its sequence numbers, whatever they contain.
    guard !hasEnded, isOfStream || packet.source == sender else { return [] }
    guard packet.source == sender ?? packet.source else {
      hasEnded = true
      return []
    }
    sender = packet.source
    guard follow(packet.sequence), isOfStream, !packet.payload.isEmpty else { return [] }
    if let timestamps, timestamps.step(to: packet.timestamp) > Self.longestStep * media.clockRate {
      hasEnded = true
      return []
    }
    guard media.kind == .video else { return [rewritten(packet)] }
    var finished: [RTPPacket] = []
    if let first = picture.first, first.timestamp != packet.timestamp { finished = finishPicture() }
    if mayLackStart {
      mayLackStart = false
      incomplete = units?.startsPicture(packet.payload) == true ? nil : packet.timestamp
    }
    guard packet.timestamp != incomplete else {
      noteLeftOut(packet.timestamp)
      return finished
    }
    incomplete = nil
    picture.append(packet)
    heldSize += packet.payload.count + PlayingSession.packetCost
    return packet.isMarked ? finished + finishPicture() : finished
  }

  /// Leaves out the picture that is arriving, because it is too large.
  mutating func dropPicture() {
    guard let first = picture.first else { return }
    noteLoss()
    incomplete = first.timestamp
  }

  /// Notes a sequence number. Returns whether the packet is a new one.
  private mutating func follow(_ sequence: UInt16) -> Bool {
    if let lastSequence {
      let step = Int16(bitPattern: sequence &- lastSequence)
      guard step > 0 || step < -Self.mostLate else { return false }
      if step != 1 {
        noteLoss()
        mayLackStart = true
      }
    }
    lastSequence = sequence
    return true
  }

  private mutating func noteLoss() {
    if let first = picture.first { noteLeftOut(first.timestamp) }
    (picture, heldSize) = ([], 0)
    isWaiting = units != nil
  }

  private mutating func noteLeftOut(_ timestamp: UInt32) {
    guard lastLeftOut != timestamp else { return }
    lastLeftOut = timestamp
    leftOut += 1
  }

  private mutating func finishPicture() -> [RTPPacket] {
    defer { (picture, heldSize) = ([], 0) }
    guard let units, let first = picture.first else { return picture.map { rewritten($0) } }
    let content = units.content(of: picture.lazy.map(\.payload))
    guard content.isKey || !isWaiting else {
      noteLeftOut(first.timestamp)
      return []
    }
    isWaiting = false
    hasOwnSets = hasOwnSets || content.hasParameterSets
    var packets = picture
    if content.isKey, !hasOwnSets {
      packets.insert(
        contentsOf: parameterSets.map { set in
          var packet = first
          (packet.isMarked, packet.payload) = (false, set)
          return packet
        }, at: 0)
    }
    return packets.map { rewritten($0) }
  }

  private mutating func rewritten(_ packet: RTPPacket) -> RTPPacket {
    var known = timestamps ?? Timestamps(packet.timestamp)
    let elapsed = known.advance(to: packet.timestamp)
    timestamps = known
    defer { nextSequence &+= 1 }
    return RTPPacket(
      isMarked: packet.isMarked, payloadType: payloadType, sequence: nextSequence,
      timestamp: UInt32(truncatingIfNeeded: Self.firstTimestamp + elapsed + shift),
      source: source, payload: packet.payload)
  }
}

/// Continues timestamps of 32 bits.
private struct Timestamps {
  /// The last timestamp, and the ticks from the first one to it.
  private var last: UInt32
  private var elapsed: Int64 = 0

  init(_ first: UInt32) { last = first }

  func elapsed(to timestamp: UInt32) -> Int64 {
    elapsed + Int64(Int32(bitPattern: timestamp &- last))
  }

  /// The ticks from the last timestamp to another, regardless of the direction.
  func step(to timestamp: UInt32) -> Int64 {
    abs(Int64(Int32(bitPattern: timestamp &- last)))
  }

  mutating func advance(to timestamp: UInt32) -> Int64 {
    elapsed = elapsed(to: timestamp)
    last = timestamp
    return elapsed
  }
}
