/// The window of the first channel in an AAC frame (ISO/IEC 14496-3, table 4.6, `ics_info`).
public struct AACWindow: Hashable, Sendable {
  /// The order of long and short windows.
  public enum Sequence: UInt8, Hashable, Sendable {
    case onlyLong, longStart, eightShort, longStop
  }

  /// The sequence of windows.
  public var sequence: Sequence
  /// Whether the right half is a Kaiser-Bessel-derived window, and not half a sine wave.
  public var isKaiserBessel: Bool
  /// Whether the frame contains no other window: it has one channel, or two that share this one.
  public var isOnly: Bool
  /// The position of the bit for the shape.
  private var shapeBit: Int

  /// Whether the frame's left half is one long slope.
  public var beginsLong: Bool { sequence == .onlyLong || sequence == .longStart }
  /// Whether the frame's right half is one long slope.
  public var endsLong: Bool { sequence == .onlyLong || sequence == .longStop }

  /// Reads the window of a frame without ADTS header. Returns `nil` if the frame does not begin with a channel.
  public init?(_ frame: [UInt8]) {
    var reader = BitReader(frame[...])
    while reader.isWithin {
      let element = reader.number(3)
      switch element {
      case 0, 1:
        // element_instance_tag; common_window for pairs; global_gain unless the window comes first
        reader.skip(4)
        let isShared = element == 1 && reader.flag()
        if !isShared { reader.skip(8) }
        reader.skip(1)
        let number = reader.number(2)
        shapeBit = reader.place
        isKaiserBessel = reader.flag()
        isOnly = element == 0 || isShared
        guard reader.isWithin, let sequence = Sequence(rawValue: UInt8(number)) else { return nil }
        self.sequence = sequence
        return
      case 4:
        reader.skip(4)
        let isAligned = reader.flag()
        var count = reader.number(8)
        if count == 255 { count += reader.number(8) }
        if isAligned { reader.align() }
        reader.skip(8 * count)
      case 6:
        var count = reader.number(4)
        if count == 15 { count += reader.number(8) - 1 }
        reader.skip(8 * count)
      default: return nil
      }
    }
    return nil
  }

  /// A frame with the other shape of this window's right half.
  public func reshaped(_ frame: [UInt8]) -> [UInt8] {
    var frame = frame
    frame[shapeBit >> 3] ^= 1 << (7 - UInt8(shapeBit & 7))
    return frame
  }
}
