/// Continues the clock of a source whose timestamps have a limited number of bits, and finds its jumps.
///
/// MPEG-TS counts 90,000 ticks a second in 33 bits, so its timestamps start again at zero after 26.5 hours.
public struct SourceClock: Hashable, Sendable {
  /// How a timestamp relates to those before it.
  public enum Reading: Hashable, Sendable {
    /// The clock continues. The time keeps increasing when timestamps start again at zero.
    case time(Int64)
    /// The clock jumped. The timestamp belongs to a new part of the recording.
    case jump
  }

  private let ticksPerSecond: Int64
  /// The number of different timestamps; `nil` if they never start again at zero.
  public let period: Int64?
  /// The longest step forward, in seconds, that counts as a gap however soon it arrives.
  private let longestGap: Int64
  /// The longest step back, in seconds, that counts as a stream that lags behind the others.
  private let longestLag: Int64
  private var last: Last?

  /// The last timestamp.
  private struct Last: Hashable {
    let time: Int64
    let arrival: Duration
  }

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - bits: the number of bits of a timestamp; `nil` if timestamps never start again at zero.
  ///   - longestGap: the longest step forward, in seconds, that counts as a gap however soon it arrives.
  ///   - longestLag: the longest step back, in seconds, that does not count as a jump.
  public init(ticksPerSecond: Int64, bits: Int?, longestGap: Int64 = 10, longestLag: Int64 = 5) {
    self.ticksPerSecond = ticksPerSecond
    period = bits.map { 1 << $0 }
    self.longestGap = longestGap
    self.longestLag = longestLag
  }

  /// The step from the last timestamp to another one.
  private func step(to timestamp: Int64, from last: Last) -> Int64 {
    var step = timestamp &- last.time
    guard let period else { return step }
    step %= period
    if step >= period / 2 { step -= period }
    if step < -period / 2 { step += period }
    return step
  }

  /// The distance between a timestamp and the last one, in ticks; 0 if there was none.
  public func distance(to timestamp: Int64) -> Int64 {
    last.map { abs(step(to: timestamp, from: $0)) } ?? 0
  }

  /// Whether the last timestamp was after another one.
  public func isAfter(_ timestamp: Int64) -> Bool {
    last.map { step(to: timestamp, from: $0) < 0 } ?? false
  }

  /// Reads a timestamp.
  ///
  /// A step back is a jump if it is longer than `longestLag`; shorter ones occur because the streams of a source may
  /// lag behind one another. A step forward is a jump if it is longer than `longestGap`, unless about as much time
  /// passed on the host: the clock of a source that was silent for a minute has not jumped.
  ///
  /// - Parameter arrival: when it arrived, by a clock of the host that never jumps.
  public mutating func read(_ timestamp: Int64, arrivingAt arrival: Duration) -> Reading {
    guard let last else {
      self.last = Last(time: timestamp, arrival: arrival)
      return .time(timestamp)
    }
    let step = step(to: timestamp, from: last)
    let passed = (arrival - last.arrival) / .seconds(1)
    let seconds = Double(step) / Double(ticksPerSecond)
    let isGap = seconds <= Double(longestGap) || abs(seconds - passed) <= 1 + passed / 20
    guard seconds >= -Double(longestLag), isGap else { return .jump }
    let time = last.time + step
    // A picture may be decoded before one that arrived earlier; the clock itself never goes back.
    if step > 0 { self.last = Last(time: time, arrival: arrival) }
    return .time(time)
  }
}
