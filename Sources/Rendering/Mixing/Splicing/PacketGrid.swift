import Media

/// The places of the packets of AAC in a file. Each holds as many samples as any other, and players play them one after
/// another, so one place decides all others. Packet 0 holds the file's first sample.
struct PacketGrid: Hashable {
  /// The number of samples in a packet.
  static let length = AACConfiguration.frameLength

  /// The first sample of packet 0, from −1023 to 0.
  let first: Int64

  /// Creates the grid of a packet that begins at a sample of the file.
  init(of sample: Int64) {
    let rest = sample % Self.length
    first = rest > 0 ? rest - Self.length : rest
  }

  /// The first sample of a packet.
  func start(of packet: Int) -> Int64 { first + Int64(packet) * Self.length }

  func packet(holding sample: Int64) -> Int {
    let distance = sample - first
    let (quotient, rest) = distance.quotientAndRemainder(dividingBy: Self.length)
    return Int(rest < 0 ? quotient - 1 : quotient)
  }

  /// The first packet that begins at a sample or after it.
  func packet(from sample: Int64) -> Int { packet(holding: sample - 1) + 1 }
}
