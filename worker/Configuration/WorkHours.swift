import Foundation

/// The hours of each day in which a worker takes leases, in the time zone of its host.
package struct WorkHours: Hashable, Sendable, CustomStringConvertible {
  /// The hours as they were written.
  package let description: String
  private let start: DateComponents
  private let end: DateComponents

  /// Reads hours such as `20:00-06:00`; `nil` if they are not valid, or begin and end at the same time.
  package init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.time)
    guard times.count == 2, let start = times[0], let end = times[1], start != end else {
      return nil
    }
    (self.start, self.end, description) = (start, end, text)
  }

  private static func time(_ text: Substring) -> DateComponents? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour),
      (0..<60).contains(minute)
    else { return nil }
    return DateComponents(hour: hour, minute: minute)
  }

  /// Whether a time is within the hours: the one that comes next is their end.
  package func contains(_ date: Date, in calendar: Calendar) -> Bool {
    time(until: end, from: date, in: calendar) < time(until: start, from: date, in: calendar)
  }

  /// The time until the hours begin; 0 within them.
  package func timeUntilBegin(_ date: Date, in calendar: Calendar) -> Duration {
    contains(date, in: calendar) ? .zero : time(until: start, from: date, in: calendar)
  }

  /// The time until the hours end; 0 outside them.
  package func timeUntilEnd(_ date: Date, in calendar: Calendar) -> Duration {
    contains(date, in: calendar) ? time(until: end, from: date, in: calendar) : .zero
  }

  /// If the clocks change, an hour that does not exist begins when it would have.
  private func time(
    until time: DateComponents, from date: Date, in calendar: Calendar
  ) -> Duration {
    let next = calendar.nextDate(after: date, matching: time, matchingPolicy: .nextTime)
    return .seconds(next?.timeIntervalSince(date) ?? 0)
  }
}
