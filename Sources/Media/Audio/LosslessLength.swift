/// How many samples a packet of Apple Lossless holds by its own header, where the container's duration may say fewer.
struct LosslessLength {
  /// Samples of a packet that does not say (the magic cookie's `frameLength`).
  private let usual: Int

  /// The lengths of a stream by its codec and what it has out of band; `nil` for other codecs.
  init?(codec: String, parameterSets: [UInt8]) {
    // Apple Lossless Format, "Magic Cookie Description": after the box's head, its version and flags.
    guard codec == "alac", parameterSets.count >= 16 else { return nil }
    usual = parameterSets[12..<16].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The samples of a packet: three bits of its kind, four of its number, twelve unused, whether it has a count of its
  /// own, two of shifted bytes, whether it is compressed, and the count.
  func samples(in packet: UnsafeRawBufferPointer) -> Int {
    guard packet.count >= 7 else { return usual }
    guard packet[2] >> 4 & 1 == 1 else { return usual }
    let count = packet[2..<7].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1 & 0xFFFF_FFFF
    return count > 0 && count <= UInt64(usual) ? Int(count) : usual
  }
}
