import Support
import Testing
import Timeline

struct TrackTimeRangeTests {
  private let before = ["beach [0, 4) at [0, 4)", "beach [4, 8) at [5, 9)"]

  private func edited(_ edit: (inout Track) throws -> Void) throws -> Track {
    var track = try EditingFixture.track()
    try edit(&track)
    return track
  }

  @Test func `an empty range within a segment splits it`() throws {
    let track = try edited { try $0.insertEmptyTimeRange(EditingFixture.range("1", "3")) }
    #expect(
      track.shown == [
        "beach [0, 1) at [0, 1)", "beach [1, 4) at [3, 6)", "beach [4, 8) at [7, 11)",
      ])
  }

  @Test func `an empty range in a gap makes it longer`() throws {
    let track = try edited { try $0.insertEmptyTimeRange(EditingFixture.range("9/2", "5")) }
    #expect(track.shown == ["beach [0, 4) at [0, 4)", "beach [4, 8) at [11/2, 19/2)"])
  }

  @Test(arguments: ["9", "20"])
  func `an empty range at the end or after it changes nothing`(start: String) throws {
    let track = try edited { try $0.insertEmptyTimeRange(EditingFixture.range(start, "30")) }
    #expect(track.shown == before)
  }

  @Test func `removal within a segment closes up what follows`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("1/3", "3/2")) }
    #expect(
      track.shown == [
        "beach [0, 1/3) at [0, 1/3)", "beach [3/2, 4) at [1/3, 17/6)",
        "beach [4, 8) at [23/6, 47/6)",
      ])
  }

  @Test func `removal across segments trims both and takes the gap`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("3", "6")) }
    #expect(track.shown == ["beach [0, 3) at [0, 3)", "beach [5, 8) at [3, 6)"])
  }

  @Test func `removal of everything leaves an empty track`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("0", "100")) }
    #expect(track.shown.isEmpty)
    #expect(track.duration == .zero)
  }

  @Test func `removal after the end changes nothing`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("9", "12")) }
    #expect(track.shown == before)
  }

  @Test func `scaling changes the target and keeps the source`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("0", "4"), toDuration: RationalTime(6))
    }
    #expect(track.shown == ["beach [0, 4) at [0, 6)", "beach [4, 8) at [7, 11)"])
  }

  @Test func `scaling splits at both ends and scales the gap between`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("3", "6"), toDuration: RationalTime(1))
    }
    #expect(
      track.shown == [
        "beach [0, 3) at [0, 3)", "beach [3, 4) at [3, 10/3)", "beach [4, 5) at [11/3, 4)",
        "beach [5, 8) at [4, 7)",
      ])
  }

  @Test func `a segment that plays at another speed is split in proportion`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("0", "4"), toDuration: RationalTime(6))
      try $0.removeTimeRange(EditingFixture.range("1", "2"))
    }
    #expect(
      track.shown == [
        "beach [0, 2/3) at [0, 1)", "beach [4/3, 4) at [1, 5)", "beach [4, 8) at [6, 10)",
      ])
  }

  @Test func `scaling there and back gives the same track`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("0", "9"), toDuration: RationalTime(7, 3))
      try $0.scaleTimeRange(EditingFixture.range("0", "7/3"), toDuration: RationalTime(9))
    }
    #expect(track.shown == before)
  }

  @Test(arguments: [
    ("-1", "1", "1", EditError.Code.invalidTime), ("1", "1", "1", .invalidDuration),
    ("2", "1", "1", .invalidDuration), ("0", "1", "0", .invalidDuration),
    ("0", "1", "-2", .invalidDuration), ("0", "1/3", "9223372036854775807", .overflow),
  ])
  func `a range that cannot be scaled is refused`(
    start: String, end: String, duration: String, code: EditError.Code
  ) throws {
    var track = try EditingFixture.track()
    let error = #expect(throws: EditError.self) {
      try track.scaleTimeRange(
        EditingFixture.range(start, end), toDuration: RationalTime(duration))
    }
    #expect(error?.code == code)
    #expect(track.shown == before)
  }

  @Test(arguments: [
    ("-1", "1", EditError.Code.invalidTime), ("1", "1", .invalidDuration),
    ("2", "1", .invalidDuration),
  ])
  func `a range that cannot be emptied or removed is refused`(
    start: String, end: String, code: EditError.Code
  ) throws {
    var track = try EditingFixture.track()
    let range = try EditingFixture.range(start, end)
    let emptying = #expect(throws: EditError.self) { try track.insertEmptyTimeRange(range) }
    let removing = #expect(throws: EditError.self) { try track.removeTimeRange(range) }
    #expect([emptying?.code, removing?.code] == [code, code])
    #expect(track.shown == before)
  }

  @Test func `mappings cover the track, empty ones included`() throws {
    let track = try edited {
      try $0.insertEmptyTimeRange(EditingFixture.range("0", "1"))
      try $0.scaleTimeRange(EditingFixture.range("6", "10"), toDuration: RationalTime(2))
    }
    #expect(
      try track.timeMappings == [
        TimeMapping(source: nil, target: EditingFixture.range("0", "1")),
        TimeMapping(
          source: EditingFixture.range("0", "4"), target: EditingFixture.range("1", "5")),
        TimeMapping(source: nil, target: EditingFixture.range("5", "6")),
        TimeMapping(
          source: EditingFixture.range("4", "8"), target: EditingFixture.range("6", "8")),
      ])
    #expect(try track.timeMappings.map(\.isEmpty) == [true, false, true, false])
  }

  @Test func `a gap whose length does not fit has no mapping`() throws {
    var track = try EditingFixture.track()
    track.segments[0].target = try EditingFixture.range("0", "1/4294967291")
    track.segments[1].target = try EditingFixture.range("2/4294967279", "1")
    let error = #expect(throws: EditError.self) { try track.timeMappings }
    #expect(error?.code == .overflow)
    #expect(error?.message.hasPrefix("track 1: ") == true)
  }
}
