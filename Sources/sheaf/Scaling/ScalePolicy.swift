/// Decides how many workers to start.
package struct ScalePolicy: Hashable, Sendable {
  /// The maximum number of started workers at a time.
  package var maximum: Int
  /// The number of segments that a started worker renders at a time.
  package var slots: Int
  /// The number of hours that started workers may run within a day, together; `nil` for no limit.
  package var hoursPerDay: Double?

  package init(maximum: Int, slots: Int, hoursPerDay: Double? = nil) {
    self.maximum = maximum
    self.slots = slots
    self.hoursPerDay = hoursPerDay
  }

  /// What is known about the farm and the started workers.
  package struct Situation: Hashable, Sendable {
    /// The number of segments that wait for a worker.
    package var pending = 0
    /// The number of segments that are being rendered.
    package var leased = 0
    /// The number of slots of workers that take leases and were not started by this command.
    package var otherSlots = 0
    /// The number of started workers that take leases or have not registered yet.
    package var capacity = 0
    /// The number of started workers that have not ended.
    package var started = 0
    /// The hours that started workers have run within the last day.
    package var hours = 0.0

    package init() {}
  }

  /// The number of started workers that the farm's segments would keep busy.
  package func wanted(in situation: Situation) -> Int {
    let segments = situation.pending + situation.leased - situation.otherSlots
    return max(0, (segments + slots - 1) / slots)
  }

  /// The number of workers that are missing.
  package func missing(in situation: Situation) -> Int {
    guard remainingHours(in: situation) > 0 else { return 0 }
    let missing = wanted(in: situation) - situation.capacity
    return max(0, min(missing, maximum - situation.started))
  }

  /// The hours that all started workers may still run within this day.
  package func remainingHours(in situation: Situation) -> Double {
    hoursPerDay.map { max(0, $0 - situation.hours) } ?? .infinity
  }

  /// The lifetime of workers that are started now, in seconds: short enough that they cannot exceed the hours of a day.
  ///
  /// - Parameter seconds: their lifetime without a limit.
  package func lifetime(_ seconds: Int, starting count: Int, in situation: Situation) -> Int {
    let share = remainingHours(in: situation) * 3600 / Double(max(1, situation.started + count))
    return share < Double(seconds) ? max(60, Int(share)) : seconds
  }
}

/// Slows the starts down while they are in vain: while they fail, or the workers end without a result.
package struct StartPacing: Hashable, Sendable {
  private let coolDown: Duration
  /// The longest time between two starts.
  package static let longest: Duration = .seconds(600)
  /// The maximum number of workers of one start. Slurm allows array indexes up to 1000.
  package static let largestStart = 1000

  private var failures = 0
  private var nextStart: Duration = .zero
  private var size = Self.largestStart

  package init(coolDown: Duration) { self.coolDown = coolDown }

  /// The number of workers that may be started now.
  package func allowance(at time: Duration) -> Int { time < nextStart ? 0 : size }

  /// Notes that workers were started. The next start may be twice as large.
  package mutating func started(at time: Duration) {
    wait(from: time)
    size = min(size * 2, Self.largestStart)
  }

  /// Notes that a start failed, or that a worker ended without a result although there is work for it. The next start is a
  /// try with one worker.
  package mutating func failed(at time: Duration) {
    failures = min(failures + 1, 20)
    size = 1
    wait(from: time)
  }

  /// Notes that a started worker has completed a segment.
  package mutating func succeeded() { (failures, size) = (0, Self.largestStart) }

  private mutating func wait(from time: Duration) {
    var pause = failures == 0 ? coolDown : max(coolDown, .seconds(1))
    for _ in 0..<failures { pause = min(pause * 2, Self.longest) }
    nextStart = max(nextStart, time + pause)
  }
}
