import Capture
import Support
import Testing

@Suite(.mayBlock) struct PictureClockTests {
  private static let start = Duration.seconds(100)
  private var clock = PictureClock(start: Self.start)

  @Test mutating func `pictures have the times of the driver`() {
    let first = clock.take(sequence: 7, stamp: .seconds(101), now: .seconds(102))
    let second = clock.take(sequence: 8, stamp: .milliseconds(101_040), now: .seconds(102))
    #expect(first == (.seconds(101), 0))
    #expect(second == (.milliseconds(101_040), 0))
  }

  @Test(arguments: [nil, .seconds(98), .seconds(103), .zero, .seconds(-5)] as [Duration?])
  func `a time that cannot be right is replaced by the current one`(stamp: Duration?) {
    var clock = clock
    #expect(clock.take(sequence: 0, stamp: stamp, now: .seconds(102)) == (.seconds(102), 0))
  }

  @Test mutating func `times increase although the driver's do not`() {
    _ = clock.take(sequence: 0, stamp: .seconds(101), now: .seconds(101))
    let same = clock.take(sequence: 1, stamp: .seconds(101), now: .seconds(101))
    #expect(same.time == .seconds(101) + .microseconds(1))
    let earlier = clock.take(sequence: 2, stamp: .seconds(100), now: .seconds(102))
    #expect(earlier.time == .seconds(102))
  }

  @Test(
    arguments: [
      (5, 6, 0), (5, 9, 3), (UInt32.max, 0, 0), (UInt32.max - 1, 1, 2), (5, 5, 0), (9, 0, 0),
      (0, 1 << 20, 0),
    ] as [(UInt32, UInt32, Int)])
  func `pictures that are missing are counted, unless the driver counts anew`(
    previous: UInt32, next: UInt32, lost: Int
  ) {
    var clock = clock
    #expect(clock.take(sequence: previous, stamp: nil, now: .seconds(101)).lost == 0)
    #expect(clock.take(sequence: next, stamp: nil, now: .seconds(102)).lost == lost)
  }
}
