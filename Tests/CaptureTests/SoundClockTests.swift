import Capture
import Support
import Testing

@Suite(.mayBlock) struct SoundClockTests {
  private var clock = SoundClock(sampleRate: 48_000)

  @Test(
    arguments: [
      // Available frames, delay, the driver's time and the result in milliseconds.
      (480, 480, 1000, 990), (480, 960, 1000, 980), (480, -1, 1000, 990), (480, 100, 1000, 990),
      (480, .max, 1000, 990), (480, 480, nil, 1990), (480, 480, 5000, 1990),
    ] as [(Int, Int, Int?, Int)])
  func `the first frame is as old as the driver states`(
    available: Int, delay: Int, stamp: Int?, time: Int
  ) {
    var clock = clock
    let taken = clock.take(
      480, available: available, delay: delay, stamp: stamp.map { .milliseconds($0) },
      now: .seconds(2))
    #expect(taken == (.milliseconds(time), 0))
  }

  @Test mutating func `the frames of the time in which the device stood still are lost`() {
    _ = clock.take(480, available: 480, delay: 480, stamp: .seconds(1), now: .seconds(1))
    clock.interrupt()
    let next = clock.take(
      480, available: 480, delay: 480, stamp: .milliseconds(2010), now: .milliseconds(2010))
    #expect(next == (.seconds(2), 48_000))
    let after = clock.take(
      480, available: 480, delay: 480, stamp: .milliseconds(2025), now: .milliseconds(2025))
    #expect(after.lost == 0, "a time that jitters is not a loss")
  }

  @Test mutating func `no frames are lost before the first ones`() {
    clock.interrupt()
    #expect(
      clock.take(1, available: 1, delay: 1, stamp: .seconds(9), now: .seconds(9)).lost == 0)
  }

  @Test mutating func `frames that seem to begin before the previous ones end lose none`() {
    _ = clock.take(480, available: 480, delay: 480, stamp: .seconds(1), now: .seconds(1))
    clock.interrupt()
    #expect(
      clock.take(9, available: 480, delay: 480, stamp: .seconds(1), now: .seconds(1)).lost == 0)
  }
}
