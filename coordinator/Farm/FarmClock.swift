import Foundation
import Scheduling

/// The clocks of the farm: a steady clock for scheduling, the calendar, and turns.
struct FarmClock: Sendable {
  /// The current instant of the steady clock.
  var now: @Sendable () -> Instant
  /// The current date.
  var date: @Sendable () -> Date
  /// Returns at an instant of the steady clock, or if the task is cancelled.
  var sleep: @Sendable (Instant) async -> Void
  /// Yields to other tasks between slices of long work.
  var giveTurn: @Sendable () async -> Void

  /// The system's clocks. The monotonic one counts from the host's start, independently of the calendar.
  static func system(
    calendar: @escaping @Sendable () -> Date = { Date() },
    giveTurn: @escaping @Sendable () async -> Void = { await Task.yield() }
  ) -> FarmClock {
    let start = ContinuousClock.now
    return FarmClock(
      now: { Instant(ContinuousClock.now - start) }, date: calendar,
      sleep: { try? await Task.sleep(until: start + $0.sinceStart, clock: .continuous) },
      giveTurn: giveTurn)
  }
}
