/// Places the streams of a session on one clock.
///
/// The clock counts from the first packet of a leading stream. Another stream begins on it when the sender reports say;
/// without them, when the timestamps in the response to `PLAY` say; without these, when its first packet arrived. What is
/// stated is not believed if it differs by more than ten seconds from the arrival.
struct CommonClock {
  /// Ticks of the clock per second.
  static let ticksPerSecond: Int64 = 90_000

  /// The clock of a stream. Ticks of its own clock count from its first packet.
  private struct Stream {
    let rate: Int64
    var arrival: Duration?
    /// The sender's clock at the first packet, in units of 2⁻³² s, modulo 2⁶⁴.
    var origin: UInt64?
    /// The ticks from the first packet to the common time that the response to `PLAY` states.
    var stated: Int64?
    /// The start on the common clock, once it was asked for.
    var start: Int64?
    /// The start with the ticks by which the stream was moved since.
    var movedStart: Int64 = 0
    /// The deviations in a row of sender reports from the start.
    var deviations = 0
  }

  private var streams: [Stream]
  private var leader: Int?

  private static let longestDeviation = 10 * ticksPerSecond
  /// The deviation, in ticks of the clock, from which on a stream is moved.
  private static let drift = ticksPerSecond / 10
  /// The number of reports in a row that must deviate before a stream is moved.
  private static let patience = 3

  init(rates: [Int64]) { streams = rates.map { Stream(rate: $0) } }

  /// Whether the sender reports of all streams are known.
  var isCertain: Bool { streams.allSatisfy { $0.origin != nil } }

  /// Notes the first packet of a stream.
  ///
  /// - Parameter stated: the ticks from it to the common time that the response to `PLAY` states.
  mutating func noteFirst(of index: Int, at arrival: Duration, stated: Int64?) {
    (streams[index].arrival, streams[index].stated) = (arrival, stated)
  }

  /// Takes a sender report.
  ///
  /// - Parameter elapsed: the ticks of the stream's own clock from its first packet to the report's time.
  /// - Returns: the ticks of the stream's own clock by which it must be moved from now on.
  mutating func note(_ clock: UInt64, at elapsed: Int64, of index: Int) -> Int64 {
    let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: streams[index].rate)
    let fraction = (rest << 32) / streams[index].rate
    streams[index].origin = clock &- UInt64(bitPattern: seconds << 32 &+ fraction)
    guard streams[index].start != nil, index != leader, let leader,
      let reported = reportedStart(of: index, after: leader)
    else { return 0 }
    let deviation = reported - streams[index].movedStart
    guard abs(deviation) > Self.drift else {
      streams[index].deviations = 0
      return 0
    }
    streams[index].deviations += 1
    guard streams[index].deviations >= Self.patience else { return 0 }
    streams[index].deviations = 0
    streams[index].movedStart = reported
    return deviation * streams[index].rate / Self.ticksPerSecond
  }

  /// The start of a stream in ticks of the clock; 0 for the leading stream, which is the first one that is asked for.
  mutating func start(of index: Int) -> Int64 {
    if let start = streams[index].start { return start }
    let leading = leader ?? index
    leader = leading
    let start = leading == index ? 0 : firstStart(of: index, after: leading)
    (streams[index].start, streams[index].movedStart) = (start, start)
    return start
  }

  private func firstStart(of index: Int, after leading: Int) -> Int64 {
    if let reported = reportedStart(of: index, after: leading) { return reported }
    let arrived = arrivedStart(of: index, after: leading)
    if let own = streams[index].stated, let other = streams[leading].stated {
      let start = Self.ticks(other, of: streams[leading]) - Self.ticks(own, of: streams[index])
      if abs(start - arrived) <= Self.longestDeviation { return start }
    }
    return arrived
  }

  private func reportedStart(of index: Int, after leading: Int) -> Int64? {
    guard let own = streams[index].origin, let other = streams[leading].origin else { return nil }
    let difference = Int64(bitPattern: own &- other)
    let (seconds, fraction) = (difference >> 32, difference & 0xFFFF_FFFF)
    let start = seconds * Self.ticksPerSecond + (fraction * Self.ticksPerSecond + 1 << 31) >> 32
    let arrived = arrivedStart(of: index, after: leading)
    return abs(start - arrived) <= Self.longestDeviation ? start : nil
  }

  private func arrivedStart(of index: Int, after leading: Int) -> Int64 {
    guard let own = streams[index].arrival, let other = streams[leading].arrival else { return 0 }
    let (seconds, attoseconds) = (own - other).components
    return seconds * Self.ticksPerSecond
      + attoseconds / (1_000_000_000_000_000_000 / Self.ticksPerSecond)
  }

  private static func ticks(_ ticks: Int64, of stream: Stream) -> Int64 {
    ticks * ticksPerSecond / stream.rate
  }
}
