/// Reads the number of samples in an Apple Lossless packet from its header, because the container's duration may be too
/// short.
struct LosslessLength {
  /// The samples in a packet whose header has no count (the magic cookie's `frameLength`).
  private let usual: Int

  /// Creates a reader from a stream's out-of-band parameter sets. Returns `nil` for other codecs.
  init?(codec: String, parameterSets: [UInt8]) {
    // Apple Lossless Format, "Magic Cookie Description": after the box's head, its version and flags.
    guard codec == "alac", parameterSets.count >= 16 else { return nil }
    usual = parameterSets[12..<16].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The number of samples in a packet. Its header has three bits for the kind, four for the number, twelve unused, one
  /// that says whether a count follows, two for shifted bytes, one for compression, and then the count.
  func samples(in packet: UnsafeRawBufferPointer) -> Int {
    guard packet.count >= 7 else { return usual }
    guard packet[2] >> 4 & 1 == 1 else { return usual }
    let count = packet[2..<7].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1 & 0xFFFF_FFFF
    return count > 0 && count <= UInt64(usual) ? Int(count) : usual
  }
}
