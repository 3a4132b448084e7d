import ProjectFormat
import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct TimeArgumentTests {
  private func time(_ text: String, at rate: RationalTime? = nil) throws -> RationalTime {
    try #require(TimeArgument(argument: text)).time(at: rate, for: "--start", or: "give a rate")
  }

  @Test(arguments: [
    ("1.5", "3/2"), ("3/2", "3/2"), ("2s", "2"), ("2 s", "2"), ("1500ms", "3/2"), ("1m", "60"),
    ("1.5min", "90"), ("1h", "3600"), ("1:30", "90"), ("00:00:02", "2"), ("01:00:00.5", "7201/2"),
    ("90:00", "5400"),
  ])
  func `a time is written as seconds, with a unit or as a clock shows it`(
    text: String, exact: String
  ) throws {
    #expect(try time(text) == RationalTime(exact))
  }

  @Test func `a timecode counts the frames of the rate`() throws {
    #expect(try time("00:01:39:12", at: RationalTime(25)) == RationalTime("2487/25"))
    let ntsc = try RationalTime(30_000, 1001)
    #expect(try time("00:00:01:00", at: ntsc) == RationalTime("1001/1000"))
    #expect(try time("00:01:00;02", at: ntsc) == RationalTime(1800) / ntsc)
  }

  @Test func `a timecode without a rate is an error that says what to give`() throws {
    let failure = try #require(
      #expect(throws: CommandFailure.self) { try time("00:01:39:12") })
    #expect(failure.exitCode == .usage)
    #expect(
      failure.lines == [
        "a time with frames needs a frame rate: --start 00:01:39:12: give a rate"
      ])
  }

  @Test(arguments: [("00:00:01:25", 25), ("00:00:01;00", 25), ("00:00:01:99", 60)])
  func `a timecode that no frame has is an error`(text: String, rate: Int64) throws {
    #expect(throws: CommandFailure.self) { try time(text, at: RationalTime(rate)) }
  }

  @Test(arguments: [
    "", "x", "1:60", "1:2:3:4:5", "00:00:", ":1", "1;2", "00;00:01:02", "1:-2", "1:1/2", "2x",
    "1e3", "00:61:00",
  ])
  func `anything else is not a time`(text: String) {
    #expect(TimeArgument(argument: text) == nil)
  }

  @Test func `a transition's duration may be a clock time or a timecode`() throws {
    let clock = try #require(TransitionArgument(argument: "push:00:00:01.5:left"))
    #expect(try clock.timed(at: nil).transition.duration == RationalTime(3, 2))
    #expect(clock.transition.direction == .left)
    let frames = try #require(TransitionArgument(argument: "dissolve:00:00:00:12"))
    #expect(try frames.timed(at: RationalTime(24)).transition.duration == RationalTime(1, 2))
    #expect(throws: CommandFailure.self) { try frames.timed(at: nil) }
  }
}
