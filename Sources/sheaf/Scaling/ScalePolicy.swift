/// Decides how many workers to start.
package struct ScalePolicy: Hashable, Sendable {
  /// The number of workers that the farm has even without work.
  package var minimum: Int
  /// The maximum number of started workers at a time.
  package var maximum: Int
  /// The maximum number of hours that started workers may run within a day, together; `nil` for no limit.
  package var hoursPerDay: Double?

  package init(minimum: Int = 0, maximum: Int, hoursPerDay: Double? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.hoursPerDay = hoursPerDay
  }

  /// What is known about the farm and the started workers.
  package struct Situation: Hashable, Sendable {
    /// The number of workers that the segments to render would keep busy.
    package var desired: Int
    /// The names of the farm's workers that take leases.
    package var active: Set<String>
    /// The names of the workers that were started and have not ended, whether or not they have registered.
    package var started: Set<String>
    /// The hours that started workers have run within the last day.
    package var hours: Double

    package init(desired: Int, active: Set<String>, started: Set<String>, hours: Double = 0) {
      self.desired = desired
      self.active = active
      self.started = started
      self.hours = hours
    }
  }

  /// The number of workers to start now.
  package func count(in situation: Situation) -> Int {
    if let hoursPerDay, situation.hours >= hoursPerDay { return 0 }
    // A worker that was started and has not registered yet will serve the farm soon.
    let existing = situation.active.union(situation.started).count
    let missing = max(situation.desired, minimum) - existing
    return max(0, min(missing, maximum - situation.started.count))
  }
}

/// Lengthens the time between two starts while workers end before they register.
package struct StartPacing: Hashable, Sendable {
  /// The minimum time between two starts.
  package let coolDown: Duration
  /// The longest time between two starts.
  package static let longest: Duration = .seconds(600)

  private var failures = 0
  private var lastStart: Duration?
  /// The workers of the last starts that have not registered yet.
  private var expected: Set<String> = []

  package init(coolDown: Duration) { self.coolDown = coolDown }

  /// Notes which workers were started and which the farm knows. Returns the names of those that ended before they
  /// registered.
  package mutating func observe(active: Set<String>, started: Set<String>) -> [String] {
    if !expected.isDisjoint(with: active) { failures = 0 }
    expected.subtract(active)
    let ended = expected.subtracting(started)
    if !ended.isEmpty { failures += 1 }
    expected = expected.intersection(started).union(started.subtracting(active))
    return ended.sorted()
  }

  /// Notes a start, or a failure to start.
  package mutating func noteStart(at time: Duration, hasFailed: Bool = false) {
    lastStart = time
    if hasFailed { failures += 1 }
  }

  /// The time to wait before the next start.
  package func wait(at time: Duration) -> Duration {
    guard let lastStart else { return .zero }
    var pause = coolDown
    for _ in 0..<min(failures, 10) { pause = min(pause * 2, Self.longest) }
    return max(.zero, lastStart + pause - time)
  }
}
