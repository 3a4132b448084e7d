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

  /// The state of the farm and of the started workers.
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
    /// The hours that started workers may still run until the ends of their lifetimes.
    package var promised = 0.0

    package init() {}
  }

  /// The number of started workers that the farm's segments would keep busy.
  package func wanted(in situation: Situation) -> Int {
    let segments = situation.pending + situation.leased - situation.otherSlots
    return max(0, (segments + slots - 1) / slots)
  }

  /// The number of workers to start: those that are missing, or fewer if the hours of the day do not allow as many.
  package func missing(in situation: Situation) -> Int {
    let affordable = remainingHours(in: situation) * 3600 / Double(Self.shortestLifetime)
    return Int(min(Double(needed(in: situation)), affordable))
  }

  /// Whether workers are missing, and the hours of the day do not allow any.
  package func isExhausted(in situation: Situation) -> Bool {
    needed(in: situation) > 0 && missing(in: situation) == 0
  }

  private func needed(in situation: Situation) -> Int {
    let missing = wanted(in: situation) - situation.capacity
    return max(0, min(missing, maximum - situation.started))
  }

  /// The shortest lifetime of a worker, in seconds.
  private static let shortestLifetime = 60

  /// The hours that are left for further workers within this day if all living ones use up their lifetimes.
  private func remainingHours(in situation: Situation) -> Double {
    hoursPerDay.map { max(0, $0 - situation.hours - situation.promised) } ?? .infinity
  }

  /// The lifetime of workers that are started now, in seconds: short enough that they cannot exceed the hours of a day.
  ///
  /// - Parameter seconds: their lifetime without a limit.
  package func lifetime(_ seconds: Int, starting count: Int, in situation: Situation) -> Int {
    let share = remainingHours(in: situation) * 3600 / Double(max(1, count))
    return Int(min(Double(seconds), share))
  }
}
