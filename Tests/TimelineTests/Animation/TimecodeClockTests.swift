import Support
import Testing
import Timeline

/// Frames have the timecodes of SMPTE 12M.
@Suite(.mayBlock) struct TimecodeClockTests {
  private static func clock(_ rate: String, drops: Bool = false) throws -> TimecodeClock {
    try #require(TimecodeClock(frameRate: RationalTime(rate), dropsFrames: drops))
  }

  @Test(arguments: [
    ("25", false, 0, "00:00:00:00"), ("25", false, 24, "00:00:00:24"),
    ("25", false, 25, "00:00:01:00"), ("25", false, 25 * 86400, "00:00:00:00"),
    ("30000/1001", false, 1800, "00:01:00:00"), ("30000/1001", true, 1799, "00:00:59;29"),
    ("30000/1001", true, 1800, "00:01:00;02"), ("30000/1001", true, 17981, "00:09:59;29"),
    ("30000/1001", true, 17982, "00:10:00;00"), ("30000/1001", true, 107892, "01:00:00;00"),
    ("60000/1001", true, 3600, "00:01:00;04"), ("24000/1001", false, 24, "00:00:01:00"),
    ("120", false, 119, "00:00:00:119"),
  ])
  func `a frame has its timecode`(rate: String, drops: Bool, frame: Int, text: String) throws {
    let clock = try Self.clock(rate, drops: drops)
    #expect(clock.text(ofFrame: frame) == text)
    let day = clock.text(ofFrame: 0)
    #expect(clock.frame(called: text) == (text == day ? 0 : frame))
  }

  @Test func `every drop-frame timecode of the first hour identifies its frame`() throws {
    let clock = try Self.clock("30000/1001", drops: true)
    for frame in stride(from: 0, to: 110_000, by: 7) {
      #expect(clock.frame(called: clock.text(ofFrame: frame)) == frame)
    }
  }

  @Test(arguments: ["00:01:00;00", "24:00:00;00", "00:00:00", "aa:00:00:00", "00:00:00:30"])
  func `a timecode without a frame is rejected`(text: String) throws {
    #expect(try Self.clock("30000/1001", drops: true).frame(called: text) == nil)
  }
}
