/// Receives the packets of one stream. Returns those of whole pictures only, numbered without gaps.
///
/// After a loss, pictures are left out until one with which decoding can start. Parameter sets that only the description
/// states are put before the pictures that need them.
struct MediaReceiver {
  private let media: SessionDescription.Media
  /// The payload type and the sender's number of the packets that are returned.
  private let payloadType: UInt8
  private let source: UInt32
  private let units: PictureUnits?
  private let parameterSets: [[UInt8]]
  private var sender: UInt32?
  private var lastSequence: UInt16?
  private var nextSequence: UInt16 = 0
  private var timestamps: Timestamps?
  /// The packets of the picture that is arriving.
  private var picture: [RTPPacket] = []
  private var pictureSize = 0
  /// Whether pictures are left out until one with which decoding can start.
  private var isWaiting = false
  /// The ticks by which later timestamps are moved.
  private var shift: Int64 = 0

  /// The maximum number of bytes of a picture.
  private static let largestPicture = 32 << 20
  /// The timestamp of the first packet that is returned. libav takes 0 for an unknown one.
  private static let firstTimestamp: Int64 = 1 << 16

  init(_ media: SessionDescription.Media, index: Int) {
    self.media = media
    payloadType = SessionDescription.payloadType(of: index)
    source = UInt32(index + 1)
    units = media.kind == .video ? PictureUnits(media.encoding) : nil
    parameterSets = media.parameterSets
  }

  /// Whether another sender has taken over, whose timestamps and numbers have nothing in common with the earlier ones.
  private(set) var hasChangedSender = false

  /// The ticks from the first packet that is returned to an RTP timestamp; `nil` if there is none yet.
  func elapsed(to timestamp: UInt32) -> Int64? { timestamps?.elapsed(to: timestamp) }

  /// Moves later timestamps by a number of ticks.
  mutating func move(by ticks: Int64) { shift += ticks }

  /// Takes a packet.
  ///
  /// - Returns: the packets that can be passed on.
  mutating func take(_ packet: RTPPacket) -> [RTPPacket] {
    guard packet.payloadType == media.payloadType, !hasChangedSender else { return [] }
    guard packet.source == sender ?? packet.source else {
      hasChangedSender = true
      return []
    }
    sender = packet.source
    if let last = lastSequence {
      let step = Int16(bitPattern: packet.sequence &- last)
      guard step > 0 else { return [] }
      if step > 1 { noteLoss() }
    }
    lastSequence = packet.sequence
    guard media.kind == .video else { return [rewritten(packet)] }
    var finished: [RTPPacket] = []
    if let first = picture.first, first.timestamp != packet.timestamp { finished = finishPicture() }
    picture.append(packet)
    pictureSize += packet.payload.count
    if packet.isMarked { return finished + finishPicture() }
    if pictureSize > Self.largestPicture { noteLoss() }
    return finished
  }

  private mutating func noteLoss() {
    (picture, pictureSize) = ([], 0)
    isWaiting = units != nil
  }

  private mutating func finishPicture() -> [RTPPacket] {
    defer { (picture, pictureSize) = ([], 0) }
    guard let units, let first = picture.first else { return picture.map { rewritten($0) } }
    let content = units.content(of: picture.lazy.map(\.payload))
    guard content.isKey || !isWaiting else { return [] }
    isWaiting = false
    var packets = picture
    if content.isKey, !content.hasParameterSets {
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

  mutating func advance(to timestamp: UInt32) -> Int64 {
    elapsed = elapsed(to: timestamp)
    last = timestamp
    return elapsed
  }
}
