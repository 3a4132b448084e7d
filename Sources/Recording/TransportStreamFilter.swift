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

/// Passes on the packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3), and finds out where some are missing.
///
/// Every packet of a substream has a counter of four bits. A loss is detected at the next packet. A loss of exactly 16
/// packets of a substream, or of a multiple of 16, cannot be detected. Bytes between packets, packets that arrive
/// twice, and packets that arrive after later ones are left out, because demuxers would append their content.
public struct TransportStreamFilter: Sendable {
  /// The number of bytes in a packet.
  public static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  private static let nullPacket = 0x1FFF
  /// The maximum number of substreams that are checked. A program has only a few.
  private static let mostSubstreams = 64
  /// The number of packets of a substream within which a repeated or late packet is recognized.
  private static let patience = 64

  private struct Substream: Sendable {
    var counter: UInt8
    /// Whether the last packet had padding, as the last one of an access unit usually has.
    var endsFilledUp = false
    var losses: [StreamLoss] = []
    /// The hash values of the latest packets.
    var recent: [Int]
    /// The counters of packets that were missing, and the number of packets since then.
    var missing: (counters: Set<UInt8>, age: Int) = ([], 0)

    /// The maximum number of losses that are kept for a substream whose losses are not read.
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
    // discontinuity_indicator: the counter may restart.
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

  /// Whether an adaptation field is longer than its contents, so that it pads the packet.
  private func isFilledUp(_ place: Int, _ length: Int) -> Bool {
    guard length > 0 else { return true }
    let flags = rest[place + 1]
    // PCR, OPCR, splicing_point. The other fields have variable lengths and are rare, so a field with one counts as not
    // padded.
    let content =
      1 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags >> 2 & 1 == 1 ? 1 : 0)
    return flags & 0x03 == 0 && length > content
  }

  /// Removes the losses of a substream up to an offset, and returns one: the first that damages an access unit, or else
  /// the first.
  public mutating func takeLoss(of number: Int, upTo offset: Int64) -> StreamLoss? {
    guard let losses = substreams[number]?.losses, !losses.isEmpty else { return nil }
    substreams[number]?.losses = losses.filter { $0.offset > offset }
    let found = losses.filter { $0.offset <= offset }
    return found.first { !$0.isBetweenUnits } ?? found.first
  }

  /// Whether the last access unit of a substream seems to be complete, because its last packet had padding.
  public func seemsComplete(_ number: Int) -> Bool { substreams[number]?.endsFilledUp ?? true }
}
