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
    var position = 0
    func read(_ count: Int) -> Int? {
      guard position + count <= 8 * frame.count else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(frame[position >> 3] >> (7 - UInt8(position & 7)) & 1)
        position += 1
      }
      return value
    }
    while let element = read(3) {
      switch element {
      case 0, 1:
        // element_instance_tag; common_window for pairs; global_gain unless the window comes first
        guard read(4) != nil, let isShared = element == 1 ? read(1) : 0,
          isShared == 1 || read(8) != nil, read(1) != nil, let sequence = read(2),
          let kind = Sequence(rawValue: UInt8(sequence))
        else { return nil }
        shapeBit = position
        guard let shape = read(1) else { return nil }
        self.sequence = kind
        isKaiserBessel = shape == 1
        isOnly = element == 0 || isShared == 1
        return
      case 4:
        guard read(4) != nil, let isAligned = read(1), var count = read(8) else { return nil }
        if count == 255 {
          guard let more = read(8) else { return nil }
          count += more
        }
        if isAligned == 1 { position = (position + 7) / 8 * 8 }
        position += 8 * count
      case 6:
        guard var count = read(4) else { return nil }
        if count == 15 {
          guard let more = read(8) else { return nil }
          count += more - 1
        }
        position += 8 * count
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
