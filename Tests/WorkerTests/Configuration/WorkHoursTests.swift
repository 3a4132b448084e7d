import Foundation
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct WorkHoursTests {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    return calendar
  }()

  private func local(_ month: Int, _ day: Int, _ hour: Int, _ minute: Int) throws -> Date {
    try #require(
      Self.calendar.date(
        from: DateComponents(year: 2026, month: month, day: day, hour: hour, minute: minute)))
  }

  @Test(arguments: [
    ("09:00-17:30", 8, 59, false), ("09:00-17:30", 9, 0, true), ("09:00-17:30", 17, 29, true),
    ("09:00-17:30", 17, 30, false), ("20:00-06:00", 19, 59, false), ("20:00-06:00", 20, 0, true),
    ("20:00-06:00", 0, 0, true), ("20:00-06:00", 5, 59, true), ("20:00-06:00", 6, 0, false),
    ("00:00-23:59", 0, 0, true),
  ])
  func `hours include their beginning and not their end, also over midnight`(
    text: String, hour: Int, minute: Int, isWithin: Bool
  ) throws {
    let hours = try #require(WorkHours(text))
    #expect(try hours.contains(local(11, 25, hour, minute), in: Self.calendar) == isWithin)
  }

  @Test func `the waits until the hours begin and end are exact`() throws {
    let hours = try #require(WorkHours("20:00-06:00"))
    let (noon, night) = (try local(11, 25, 12, 0), try local(11, 25, 23, 30))
    #expect(hours.timeUntilBegin(noon, in: Self.calendar) == .seconds(8 * 3600))
    #expect(hours.timeUntilEnd(noon, in: Self.calendar) == .zero)
    #expect(hours.timeUntilBegin(night, in: Self.calendar) == .zero)
    #expect(hours.timeUntilEnd(night, in: Self.calendar) == .seconds(6.5 * 3600))
  }

  @Test func `a night in which the clocks change is longer or shorter`() throws {
    let hours = try #require(WorkHours("20:00-06:00"))
    let (spring, autumn) = (try local(3, 28, 20, 0), try local(10, 24, 20, 0))
    #expect(hours.timeUntilEnd(spring, in: Self.calendar) == .seconds(9 * 3600))
    #expect(hours.timeUntilEnd(autumn, in: Self.calendar) == .seconds(11 * 3600))
  }

  @Test(arguments: ["", "20:00", "20:00-20:00", "24:00-06:00", "2:00-06:00", "a-b", "20:00-06:60"])
  func `invalid hours are rejected`(text: String) { #expect(WorkHours(text) == nil) }
}
