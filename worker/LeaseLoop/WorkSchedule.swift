import Foundation

/// When a worker takes leases.
package struct WorkSchedule: Sendable {
  /// The hours; `nil` for always.
  private let hours: WorkHours?
  private let now: @Sendable () -> Date
  private let calendar: @Sendable () -> Calendar

  package init(
    _ hours: WorkHours? = nil, now: @escaping @Sendable () -> Date = { Date() },
    calendar: @escaping @Sendable () -> Calendar = { Calendar(identifier: .gregorian) }
  ) {
    self.hours = hours
    self.now = now
    self.calendar = calendar
  }

  /// The longest wait before the clock is read again, because it may be set.
  private static let step = Duration.seconds(30)
  /// The longest wait for a lease.
  private static let longestPoll = 30

  /// How long to wait before the hours are checked again; `nil` within them.
  var pause: Duration? {
    guard let hours, !hours.contains(now(), in: calendar()) else { return nil }
    return min(hours.timeUntilBegin(now(), in: calendar()), Self.step)
  }

  /// How long a request may wait for a lease, in seconds, so that none is granted after the hours.
  var pollSeconds: Int {
    guard let hours else { return Self.longestPoll }
    let left = hours.timeUntilEnd(now(), in: calendar()).components.seconds
    return Int(min(max(left, 0), Int64(Self.longestPoll)))
  }

  /// The hours, for the log.
  var description: String { hours?.description ?? "always" }
}
