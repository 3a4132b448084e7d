/// A place in a transport stream before which bytes of a substream are missing.
public struct StreamLoss: Hashable, Sendable {
  /// The offset of the packet after the loss, in the filtered stream.
  public var offset: Int64
  /// Whether the loss seems to be between two access units, so that both are complete.
  public var isBetweenUnits: Bool

  /// Creates a loss.
  public init(offset: Int64, isBetweenUnits: Bool) {
    self.offset = offset
    self.isBetweenUnits = isBetweenUnits
  }
}

/// Passes the packets of an MPEG transport stream on (ISO/IEC 13818-1, 2.4.3), and finds where some are missing.
///
/// Every packet of a substream carries a counter of four bits. A loss is found at the packet after it. A loss of exactly
/// 16 packets of a substream, or a multiple of that, cannot be seen. Bytes between packets, packets that arrive twice,
/// and packets that arrive after later ones are left out, because demuxers would append their content.
public struct TransportStreamFilter: Sendable {
  /// The number of bytes in a packet.
  public static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  private static let nullPacket = 0x1FFF
  /// The most substreams that are followed. A program has a handful.
  private static let mostSubstreams = 64
  /// How many packets of a substream may overtake one.
  private static let patience = 64

  private struct Substream: Sendable {
    var counter: UInt8
    /// Whether the last packet was filled up, as the last one of an access unit usually is.
    var endsFilledUp = false
    var losses: [StreamLoss] = []
    /// The hash values of the packets that arrived last.
    var recent: [Int]
    /// The counters of packets that were missing, and the number of packets since then.
    var missing: (counters: Set<UInt8>, age: Int) = ([], 0)

    /// The most losses that are kept of a substream that nobody asks about.
    private static let limit = 1000

    init(counter: UInt8, recent: [Int]) {
      self.counter = counter
      self.recent = recent
    }

    mutating func note(_ loss: StreamLoss) {
      if losses.count >= Self.limit { losses.removeFirst(Self.limit / 2) }
      losses.append(loss)
    }
  }

  private var substreams: [Int: Substream] = [:]
  /// The beginning of a packet whose rest has not arrived.
  private var rest: [UInt8] = []
  /// The number of bytes that were passed on.
  private var offset: Int64 = 0
  private var isSynchronized = true

  /// Creates a filter for a stream from its first byte on.
  public init() {}

  /// Reads the next bytes of the stream.
  ///
  /// - Returns: the packets that are now complete.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    rest.append(contentsOf: bytes)
    var place = 0
    var passed: [UInt8] = []
    while rest.count - place >= Self.packetSize {
      guard rest[place] == Self.syncByte else {
        isSynchronized = false
        place += 1
        continue
      }
      if !isSynchronized {
        isSynchronized = true
        for number in substreams.keys {
          substreams[number]?.note(StreamLoss(offset: offset, isBetweenUnits: false))
        }
      }
      if passes(at: place) {
        passed += rest[place..<place + Self.packetSize]
        offset += Int64(Self.packetSize)
      }
      place += Self.packetSize
    }
    rest.removeFirst(place)
    return passed
  }

  /// Whether the packet at a place is passed on.
  private mutating func passes(at place: Int) -> Bool {
    let number = Int(rest[place + 1] & 0x1F) << 8 | Int(rest[place + 2])
    guard number != Self.nullPacket else { return false }
    let control = rest[place + 3]
    let (hasAdaptation, hasPayload) = (control & 0x20 != 0, control & 0x10 != 0)
    let adaptation = hasAdaptation ? Int(rest[place + 4]) : 0
    // discontinuity_indicator: the counter may begin anew.
    let isExpected = hasAdaptation && adaptation > 0 && rest[place + 5] & 0x80 != 0
    let counter = control & 0x0F
    let content = rest[place..<place + Self.packetSize].hashValue
    guard var substream = substreams[number] else {
      if substreams.count < Self.mostSubstreams {
        substreams[number] = Substream(counter: counter, recent: [content])
      }
      return true
    }
    defer { substreams[number] = substream }
    if rest[place + 1] & 0x80 != 0 {
      // transport_error_indicator
      substream.note(StreamLoss(offset: offset, isBetweenUnits: false))
    } else if hasPayload, !isExpected, counter != (substream.counter + 1) & 0x0F {
      guard !substream.recent.contains(content), substream.missing.counters.remove(counter) == nil
      else { return false }
      // payload_unit_start_indicator
      let begins = rest[place + 1] & 0x40 != 0
      substream.note(
        StreamLoss(offset: offset, isBetweenUnits: begins && substream.endsFilledUp))
      var lost = (substream.counter + 1) & 0x0F
      substream.missing = ([], 0)
      while lost != counter {
        substream.missing.counters.insert(lost)
        lost = (lost + 1) & 0x0F
      }
    }
    if hasPayload {
      substream.endsFilledUp = hasAdaptation && isFilledUp(place + 4, adaptation)
      substream.missing.age += 1
      if substream.missing.age > Self.patience { substream.missing.counters = [] }
      substream.recent.append(content)
      if substream.recent.count > Self.patience { substream.recent.removeFirst() }
    }
    substream.counter = counter
    return true
  }

  /// Whether an adaptation field is longer than what it contains, so that it only fills up the packet.
  private func isFilledUp(_ place: Int, _ length: Int) -> Bool {
    guard length > 0 else { return true }
    let flags = rest[place + 1]
    // PCR, OPCR, splicing_point: the others are rare, and say how long they are.
    let content =
      1 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags >> 2 & 1 == 1 ? 1 : 0)
    return flags & 0x03 == 0 && length > content
  }

  /// The first loss of a substream before an offset, and after those that were asked for.
  public mutating func takeLoss(of number: Int, upTo offset: Int64) -> StreamLoss? {
    guard let losses = substreams[number]?.losses, !losses.isEmpty else { return nil }
    substreams[number]?.losses = losses.filter { $0.offset > offset }
    let found = losses.filter { $0.offset <= offset }
    return found.first { !$0.isBetweenUnits } ?? found.first
  }

  /// Whether the last access unit of a substream seems to be complete: whether its last packet was filled up.
  public func seemsComplete(_ number: Int) -> Bool { substreams[number]?.endsFilledUp ?? true }
}
