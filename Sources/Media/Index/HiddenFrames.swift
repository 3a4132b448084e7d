/// Identifies packets that a decoder consumes without showing anything: alternate reference frames of VP8 and VP9.
enum HiddenFrames {
  static func isShown(_ packet: Packet, codec: String) -> Bool {
    packet.withUnsafeBytes { bytes in
      guard let first = bytes.first, let last = bytes.last else { return false }
      switch codec {
      case "vp8":
        // RFC 6386, 9.1: bit 4 of the frame tag is show_frame.
        return first & 0x10 != 0
      case "vp9":
        // VP9 bitstream specification, annex B: a superframe ends with a marker 110xxxxx, and its last frame is shown.
        return last & 0xE0 == 0xC0 || isShownVP9(first)
      default:
        return true
      }
    }
  }

  /// VP9 bitstream specification, 6.2: marker (2), profile (2, or 3 for profile 3), show_existing_frame, type, show_frame.
  private static func isShownVP9(_ first: UInt8) -> Bool {
    let bits = (0..<8).map { first >> (7 - $0) & 1 }
    let isProfile3 = bits[2] == 1 && bits[3] == 1
    let next = isProfile3 ? 5 : 4
    return bits[next] == 1 || bits[next + 2] == 1
  }

  /// Whether the first frame of a VP9 packet is a keyframe, which resets the decoder.
  static func isKeyVP9(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    let bits = (0..<8).map { first >> (7 - $0) & 1 }
    let next = bits[2] == 1 && bits[3] == 1 ? 5 : 4
    return bits[next] == 0 && bits[next + 1] == 0
  }
}
