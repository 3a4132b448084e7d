import Recording
import Support
import Testing

@Suite(.mayBlock) struct SourceClockTests {
  private static let period: Int64 = 1 << 33

  private func clock() -> SourceClock { SourceClock(ticksPerSecond: 90_000, bits: 33) }

  @Test func `time continues when timestamps start again at zero`() {
    var clock = clock()
    var arrival = Duration.zero
    let start = Self.period - 5 * 3600
    for frame in 0..<100 as Range<Int64> {
      let time = start + frame * 3600
      #expect(clock.read(time % Self.period, arrivingAt: arrival) == .time(time))
      arrival += .milliseconds(40)
    }
  }

  @Test func `time continues when timestamps start again several times`() {
    var clock = clock()
    let day: Int64 = 9 * 90_000
    var time: Int64 = 0
    var arrival = Duration.zero
    for _ in 0..<40_000 {
      #expect(clock.read(time % Self.period, arrivingAt: arrival) == .time(time))
      time += day
      arrival += .seconds(9)
    }
    #expect(time > 3 * Self.period)
  }

  @Test func `pictures that are decoded in another order do not jump`() {
    var clock = clock()
    #expect(clock.read(10_000, arrivingAt: .zero) == .time(10_000))
    #expect(clock.read(6400, arrivingAt: .zero) == .time(6400))
    #expect(clock.read(13_600, arrivingAt: .zero) == .time(13_600))
  }

  @Test func `a long step back is a jump, and a short one is a stream that lags`() {
    var clock = clock()
    _ = clock.read(900_000, arrivingAt: .zero)
    #expect(clock.read(500_000, arrivingAt: .zero) == .time(500_000))
    #expect(clock.read(0, arrivingAt: .seconds(1)) == .jump)
    // A jump does not move the clock.
    #expect(clock.read(903_600, arrivingAt: .seconds(1)) == .time(903_600))
  }

  @Test func `neither a burst nor a gap that took as long on the host is a jump`() {
    var clock = clock()
    #expect(clock.read(0, arrivingAt: .zero) == .time(0))
    #expect(clock.read(9 * 90_000, arrivingAt: .milliseconds(1)) == .time(810_000))
    #expect(clock.read(69 * 90_000, arrivingAt: .seconds(60)) == .time(69 * 90_000))
    #expect(clock.read(100 * 90_000, arrivingAt: .seconds(61)) == .jump)
  }
}
