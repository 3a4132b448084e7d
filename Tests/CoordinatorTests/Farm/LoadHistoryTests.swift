import CoordinatorSupport
import FarmAPI
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// The farm's load in the last hour and day.
@Suite(.mayBlock) struct LoadHistoryTests {
  private var history = LoadHistory(from: LoadHistoryTests.at(1000))

  private static func at(_ seconds: Double) -> Instant { Instant(.seconds(seconds)) }

  private static func load(pending: Int, busy: Int = 0, active: Int = 0) -> FarmLoad {
    var load = FarmLoad()
    load.pending = pending
    load.leased = busy
    load.slotsBusy = busy
    load.workers.active = active
    return load
  }

  @Test mutating func `nothing is recorded before the first interval ends`() {
    #expect(!history.isDue(at: Self.at(1029)))
    history.record(Self.load(pending: 3), frames: 10, at: Self.at(1029))
    #expect(history.points(of: .hour).points.isEmpty)
    #expect(history.isDue(at: Self.at(1030)))
  }

  @Test mutating func `an interval has its frames per second and the load at its end`() {
    history.record(Self.load(pending: 3, busy: 2, active: 4), frames: 60, at: Self.at(1030))
    history.record(Self.load(pending: 1), frames: 90, at: Self.at(1061))
    let (points, interval, start) = history.points(of: .hour)
    #expect(interval == .seconds(30) && start == Self.at(1000))
    #expect(
      points == [
        FarmHistory.Point(framesPerSecond: 2, pending: 3, leased: 2, workers: 4, slotsBusy: 2),
        FarmHistory.Point(framesPerSecond: 1, pending: 1),
      ])
  }

  @Test mutating func `idle intervals have the load that did not change`() {
    history.record(Self.load(pending: 5), frames: 30, at: Self.at(1000 + 30 * 4))
    let points = history.points(of: .hour).points
    #expect(points.map(\.pending) == [5, 5, 5, 5])
    #expect(points.map(\.framesPerSecond) == [1, 0, 0, 0])
  }

  @Test mutating func `an hour has 120 points, and a day has 144 averages`() {
    for number in 1...(20 * 150) {
      history.record(
        Self.load(pending: number % 2), frames: number * 30, at: Self.at(1000 + 30 * Double(number))
      )
    }
    let hour = history.points(of: .hour)
    #expect(hour.points.count == 120)
    #expect(hour.start == Self.at(1000 + 30 * Double(20 * 150 - 120)))
    let day = history.points(of: .day)
    #expect(day.points.count == 144 && day.interval == .seconds(600))
    #expect(day.start == Self.at(1000 + 600 * 6))
    #expect(day.points.allSatisfy { $0.framesPerSecond == 1 && $0.pending == 0.5 })
  }

  @Test mutating func `a long sleep leaves a day of idle points`() {
    history.record(Self.load(pending: 1), frames: 30, at: Self.at(1030))
    history.record(Self.load(pending: 2), frames: 30, at: Self.at(1000 + 1_000_000_000))
    let (points, _, start) = history.points(of: .day)
    #expect(points.count == 144)
    #expect(points.allSatisfy { $0.framesPerSecond == 0 })
    #expect(Self.at(1_000_001_000) - (start + .seconds(86_400)) < .seconds(1200))
  }
}
