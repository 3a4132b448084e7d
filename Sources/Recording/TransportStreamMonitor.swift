/// A place in a transport stream before which bytes of a substream are missing.
public struct StreamLoss: Hashable, Sendable {
  /// The offset of the packet after the loss.
  public var offset: Int64
  /// Whether the loss seems to be between two access units, so that both are complete.
  public var isBetweenUnits: Bool

  /// Creates a loss.
  public init(offset: Int64, isBetweenUnits: Bool) {
    self.offset = offset
    self.isBetweenUnits = isBetweenUnits
  }
}

/// Finds where bytes of an MPEG transport stream are missing (ISO/IEC 13818-1, 2.4.3).
///
/// Every packet of a substream carries a counter of four bits. A loss is found at the packet after it. A loss of exactly
/// 16 packets of a substream, or a multiple of that, cannot be seen.
public struct TransportStreamMonitor: Hashable, Sendable {
  /// The number of bytes in a packet.
  public static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  private static let nullPacket = 0x1FFF

  private struct Substream: Hashable, Sendable {
    var counter: UInt8
    var wasRepeated = false
    /// Whether the last packet was filled up, as the last one of an access unit usually is.
    var endsFilledUp = false
    var losses: [StreamLoss] = []
  }

  private var substreams: [Int: Substream] = [:]
  /// The beginning of a packet whose rest has not arrived.
  private var rest: [UInt8] = []
  /// The offset of the next packet.
  private var offset: Int64 = 0
  private var isSynchronized = true

  /// Creates a monitor for a stream from its first byte on.
  public init() {}

  /// Reads the next bytes of the stream.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    rest.append(contentsOf: bytes)
    var place = 0
    while rest.count - place >= Self.packetSize {
      if rest[place] == Self.syncByte {
        if !isSynchronized {
          isSynchronized = true
          for number in substreams.keys {
            substreams[number]?.losses.append(StreamLoss(offset: offset, isBetweenUnits: false))
          }
        }
        readPacket(at: place)
        place += Self.packetSize
        offset += Int64(Self.packetSize)
      } else {
        isSynchronized = false
        place += 1
        offset += 1
      }
    }
    rest.removeFirst(place)
  }

  private mutating func readPacket(at place: Int) {
    let number = Int(rest[place + 1] & 0x1F) << 8 | Int(rest[place + 2])
    guard number != Self.nullPacket else { return }
    let control = rest[place + 3]
    let (hasAdaptation, hasPayload) = (control & 0x20 != 0, control & 0x10 != 0)
    let adaptation = hasAdaptation ? Int(rest[place + 4]) : 0
    // discontinuity_indicator: the counter may begin anew.
    let isExpected = hasAdaptation && adaptation > 0 && rest[place + 5] & 0x80 != 0
    let counter = control & 0x0F
    guard var substream = substreams[number] else {
      substreams[number] = Substream(counter: counter)
      return
    }
    if rest[place + 1] & 0x80 != 0 {
      // transport_error_indicator
      substream.losses.append(StreamLoss(offset: offset, isBetweenUnits: false))
    } else if hasPayload, !isExpected {
      // A packet may be sent twice in a row.
      let isRepeated = counter == substream.counter && !substream.wasRepeated
      if !isRepeated, counter != (substream.counter + 1) & 0x0F {
        // payload_unit_start_indicator
        let begins = rest[place + 1] & 0x40 != 0
        substream.losses.append(
          StreamLoss(offset: offset, isBetweenUnits: begins && substream.endsFilledUp))
      }
      substream.wasRepeated = isRepeated
    }
    if hasPayload { substream.endsFilledUp = hasAdaptation && isFilledUp(place + 4, adaptation) }
    substream.counter = counter
    substreams[number] = substream
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
