import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct TimecodeTests {
  private static let ntsc = RationalTime.ratio(30_000, 1001)

  @Test(arguments: [
    (0, RationalTime(25), "00:00:00:00"), (2487, RationalTime(25), "00:01:39:12"),
    (90_000 * 30, RationalTime(25), "30:00:00:00"),
    (1799, ntsc, "00:00:59;29"), (1800, ntsc, "00:01:00;02"), (17_981, ntsc, "00:09:59;29"),
    (17_982, ntsc, "00:10:00;00"), (107_892, ntsc, "01:00:00;00"),
    (24, .ratio(24_000, 1001), "00:00:01:00"), (3600, .ratio(60_000, 1001), "00:01:00;04"),
  ])
  func `a frame has the timecode of its rate`(frame: Int64, rate: RationalTime, text: String) throws
  {
    let rate = try #require(TimecodeRate(rate))
    let code = Timecode(frame: frame, at: rate)
    #expect(code.description == text)
    #expect(code.frame(at: rate) == frame)
  }

  @Test func `every frame of an hour of drop-frame timecode has its own`() throws {
    let rate = try #require(TimecodeRate(Self.ntsc))
    for frame in Int64(0)..<108_000 {
      let code = Timecode(frame: frame, at: rate)
      guard code.frame(at: rate) == frame else {
        Issue.record("frame \(frame) has the timecode \(code)")
        return
      }
    }
  }

  @Test func `a number that drop-frame timecode leaves out names no frame`() throws {
    let rate = try #require(TimecodeRate(Self.ntsc))
    let code = Timecode(hours: 0, minutes: 1, seconds: 0, frames: 1, dropsFrames: true)
    #expect(code.frame(at: rate) == nil)
  }

  @Test(arguments: [RationalTime.ratio(25, 2), .zero, .ratio(1, 2), RationalTime(100_000)])
  func `a rate without timecodes has none`(rate: RationalTime) {
    #expect(TimecodeRate(rate) == nil)
  }
}

extension RationalTime {
  /// A quotient of numbers that a test knows to be valid.
  fileprivate static func ratio(_ numerator: Int64, _ denominator: Int64) -> RationalTime {
    (try? RationalTime(numerator, denominator)) ?? .zero
  }
}
