/// Gives the pictures of a device times that increase, and counts those that are missing between them.
package struct PictureClock: Sendable {
  private var previous: (sequence: UInt32, time: Duration)?
  private let start: Duration

  /// - Parameter start: when the device started.
  package init(start: Duration) { self.start = start }

  /// A number of pictures that cannot be missing: a larger step means that the driver restarted its count.
  private static let mostLost: UInt32 = 1 << 16
  /// How much earlier than the start of the device the first picture may begin.
  private static let margin = Duration.seconds(1)

  /// Takes the next picture.
  ///
  /// - Parameters:
  ///   - sequence: the driver's number of the picture, which wraps.
  ///   - stamp: the driver's time; `nil` if it belongs to another clock. It is not used if it cannot be right.
  ///   - now: the current time.
  /// - Returns: the time of the picture, and the number of those that are missing before it.
  package mutating func take(
    sequence: UInt32, stamp: Duration?, now: Duration
  ) -> (time: Duration, lost: Int) {
    let earliest = previous.map { $0.time + .microseconds(1) } ?? start - Self.margin
    var time = max(now, earliest)
    if let stamp, stamp >= earliest, stamp <= now { time = stamp }
    let skipped = previous.map { sequence &- $0.sequence &- 1 } ?? 0
    previous = (sequence, time)
    return (time, skipped < Self.mostLost ? Int(skipped) : 0)
  }
}
