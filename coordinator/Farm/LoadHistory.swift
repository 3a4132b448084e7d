import FarmAPI
import Scheduling

/// The farm's load in the last hour and the last day, in memory.
///
/// Nothing has to wake up for it: while no event happens, the load does not change, so the intervals that have passed
/// are recorded when the next event happens or the history is read.
package struct LoadHistory: Sendable {
  /// The length of an interval in the last hour.
  package static let interval = Duration.seconds(30)
  /// The number of these intervals in an hour.
  private static let hourCount = 120
  /// The number of these intervals in one interval of the last day, which is ten minutes.
  private static let intervalsPerDayPoint = 20
  /// The number of intervals in the last day.
  private static let dayCount = 144

  private let start: Instant
  /// The number of intervals that have ended since the start.
  private var ended = 0
  /// The number of frames that had been rendered when the last interval ended.
  private var frames = 0
  private var hour: [FarmHistory.Point] = []
  private var day: [FarmHistory.Point] = []
  /// The sum of the intervals since the last one in the day's history.
  private var sum = FarmHistory.Point()

  package init(from start: Instant) { self.start = start }

  /// Whether an interval has ended that is not recorded yet.
  package func isDue(at now: Instant) -> Bool {
    now - start >= Self.interval * (ended + 1)
  }

  /// Records the intervals that have ended.
  ///
  /// - Parameters:
  ///   - load: the load, which has not changed since the last event.
  ///   - frames: the number of frames rendered since the start.
  package mutating func record(_ load: FarmLoad, frames: Int, at now: Instant) {
    // Whole seconds, because a quotient of durations may be rounded down to the interval before.
    let passed = (now - start).components.seconds / Self.interval.components.seconds
    var missing = Int(passed) - ended
    guard missing > 0 else { return }
    // The host may have slept for weeks. Only the last day is kept.
    let kept = Self.dayCount * Self.intervalsPerDayPoint
    let skipped = max(0, missing - kept) / Self.intervalsPerDayPoint * Self.intervalsPerDayPoint
    ended += skipped
    // The earlier sums belong to the days that are skipped.
    if skipped > 0 { sum = FarmHistory.Point() }
    missing -= skipped
    var point = FarmHistory.Point(
      framesPerSecond: Double(frames - self.frames) / (Self.interval / .seconds(1)),
      pending: Double(load.pending), leased: Double(load.leased),
      workers: Double(load.presentWorkers), slotsBusy: Double(load.slotsBusy))
    self.frames = frames
    for _ in 0..<missing {
      append(point)
      point.framesPerSecond = 0
    }
  }

  private mutating func append(_ point: FarmHistory.Point) {
    ended += 1
    hour.append(point)
    if hour.count > Self.hourCount { hour.removeFirst() }
    sum.add(point)
    guard ended.isMultiple(of: Self.intervalsPerDayPoint) else { return }
    day.append(sum.divided(by: Double(Self.intervalsPerDayPoint)))
    if day.count > Self.dayCount { day.removeFirst() }
    sum = FarmHistory.Point()
  }

  /// The recorded points of a range, oldest first, with the length of their intervals and the start of the first one.
  package func points(
    of range: FarmHistory.Range
  ) -> (points: [FarmHistory.Point], interval: Duration, start: Instant) {
    let (points, length) =
      switch range {
      case .hour: (hour, 1)
      case .day: (day, Self.intervalsPerDayPoint)
      }
    let interval = Self.interval * length
    let first = ended / length - points.count
    return (points, interval, start + interval * first)
  }
}

extension FarmHistory.Point {
  fileprivate mutating func add(_ other: FarmHistory.Point) {
    framesPerSecond += other.framesPerSecond
    pending += other.pending
    leased += other.leased
    workers += other.workers
    slotsBusy += other.slotsBusy
  }

  fileprivate func divided(by count: Double) -> FarmHistory.Point {
    FarmHistory.Point(
      framesPerSecond: framesPerSecond / count, pending: pending / count, leased: leased / count,
      workers: workers / count, slotsBusy: slotsBusy / count)
  }
}
