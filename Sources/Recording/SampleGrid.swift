import Timeline

/// Places packets of sound on a grid of audio samples, so that rounded times neither repeat nor lose samples.
///
/// Containers round times, to 1/90,000 s in MPEG-TS. A packet that begins less than half its length from the end of the
/// one before it follows that one exactly. If it begins later, there is a gap; if it begins earlier, it is left out.
public struct SampleGrid: Hashable, Sendable {
  private let sampleRate: Int64
  /// The number of samples in each packet; `nil` if it varies or is unknown.
  private let packetSize: Int64?
  private var next: Int64?

  /// Creates a grid.
  ///
  /// - Parameter packetSize: the number of samples in each packet; 0 if it varies or is unknown.
  public init(sampleRate: Int, packetSize: Int = 0) {
    self.sampleRate = Int64(sampleRate)
    self.packetSize = packetSize > 0 ? Int64(packetSize) : nil
  }

  /// The number of samples in a length of time in seconds, to the nearest sample.
  public func samples(in time: RationalTime) throws(TimeError) -> Int64 {
    try time.ticks(of: RationalTime(1, sampleRate), rounding: .nearest)
  }

  /// The number of samples in a packet.
  ///
  /// - Parameters:
  ///   - length: its length in seconds according to its container.
  ///   - tick: the unit in seconds to which the container rounds lengths.
  public func packetSize(
    for length: RationalTime, roundedTo tick: RationalTime
  ) throws(TimeError) -> Int64 {
    let stated = try samples(in: length)
    guard let packetSize, try abs(packetSize - stated) <= samples(in: tick) + 1 else {
      return stated
    }
    return packetSize
  }

  /// Places a packet.
  ///
  /// - Parameter time: when it is presented according to its container, in seconds.
  /// - Returns: the index of its first audio sample; `nil` if the packet is left out.
  public mutating func place(_ time: RationalTime, sampleCount: Int64) throws(TimeError) -> Int64? {
    let stated = try samples(in: time)
    var start = stated
    if let next {
      let deviation = stated - next
      if abs(deviation) * 2 < sampleCount {
        start = next
      } else if deviation < 0 {
        return nil
      }
    }
    next = start + sampleCount
    return start
  }
}
