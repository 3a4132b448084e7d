import Timeline

/// Measures the peak bit rate of a stream.
enum PeakBitRate {
  /// The most bits in the packets presented within any second that starts with a packet, or the mean bit rate if the
  /// stream is shorter. `nil` if packets carry no times.
  ///
  /// - Parameter end: the end of the last frame, in ticks.
  static func measure(
    _ packets: [PacketScan.VideoPacket], timeBase: RationalTime, end: Int64
  ) -> Int? {
    // A packet that is not presented counts with the next one.
    var sizes: [(time: Int64, bits: Int)] = []
    var hidden = 0
    for packet in packets {
      guard packet.isPresented, let time = packet.time else {
        hidden += packet.byteCount * 8
        continue
      }
      sizes.append((time, packet.byteCount * 8 + hidden))
      hidden = 0
    }
    sizes.sort { $0.time < $1.time }
    guard let first = sizes.first, timeBase > .zero,
      let second = try? RationalTime(1).ticks(of: timeBase, rounding: .up), second > 0
    else { return nil }
    let total = sizes.reduce(0) { $0 + $1.bits }
    guard end - first.time > second else {
      return end > first.time ? Int(Int128(total) * Int128(second) / Int128(end - first.time)) : nil
    }
    var (begin, sum, peak) = (0, 0, 0)
    for packet in sizes {
      sum += packet.bits
      while packet.time - sizes[begin].time >= second {
        sum -= sizes[begin].bits
        begin += 1
      }
      peak = max(peak, sum)
    }
    return peak
  }
}
