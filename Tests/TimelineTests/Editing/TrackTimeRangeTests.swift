import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TrackTimeRangeTests {
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

  @Test func `an empty range in a gap extends the gap`() throws {
    let track = try edited { try $0.insertEmptyTimeRange(EditingFixture.range("9/2", "5")) }
    #expect(track.shown == ["beach [0, 4) at [0, 4)", "beach [4, 8) at [11/2, 19/2)"])
  }

  @Test(arguments: ["9", "20"])
  func `an empty range at or after the end changes nothing`(start: String) throws {
    let track = try edited { try $0.insertEmptyTimeRange(EditingFixture.range(start, "30")) }
    #expect(track.shown == before)
  }

  @Test func `removing a range within a segment closes the gap`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("1/3", "3/2")) }
    #expect(
      track.shown == [
        "beach [0, 1/3) at [0, 1/3)", "beach [3/2, 4) at [1/3, 17/6)",
        "beach [4, 8) at [23/6, 47/6)",
      ])
  }

  @Test func `removing a range across segments trims both and removes the gap between`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("3", "6")) }
    #expect(track.shown == ["beach [0, 3) at [0, 3)", "beach [5, 8) at [3, 6)"])
  }

  @Test func `removing everything leaves an empty track`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("0", "100")) }
    #expect(track.shown.isEmpty)
    #expect(track.duration == .zero)
  }

  @Test func `removing a range after the end changes nothing`() throws {
    let track = try edited { try $0.removeTimeRange(EditingFixture.range("9", "12")) }
    #expect(track.shown == before)
  }

  @Test func `scaling changes the target and keeps the source`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("0", "4"), toDuration: RationalTime(6))
    }
    #expect(track.shown == ["beach [0, 4) at [0, 6)", "beach [4, 8) at [7, 11)"])
  }

  @Test func `scaling splits segments at both ends and scales the gap between them`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("3", "6"), toDuration: RationalTime(1))
    }
    #expect(
      track.shown == [
        "beach [0, 3) at [0, 3)", "beach [3, 4) at [3, 10/3)", "beach [4, 5) at [11/3, 4)",
        "beach [5, 8) at [4, 7)",
      ])
  }

  @Test func `a segment with a changed speed is split in proportion`() throws {
    let track = try edited {
      try $0.scaleTimeRange(EditingFixture.range("0", "4"), toDuration: RationalTime(6))
      try $0.removeTimeRange(EditingFixture.range("1", "2"))
    }
    #expect(
      track.shown == [
        "beach [0, 2/3) at [0, 1)", "beach [4/3, 4) at [1, 5)", "beach [4, 8) at [6, 10)",
      ])
  }

  @Test func `scaling a range and back restores the track`() throws {
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
  func `an invalid range for scaling is rejected`(
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
  func `an invalid range for insertion of an empty range or for removal is rejected`(
    start: String, end: String, code: EditError.Code
  ) throws {
    var track = try EditingFixture.track()
    let range = try EditingFixture.range(start, end)
    let emptying = #expect(throws: EditError.self) { try track.insertEmptyTimeRange(range) }
    let removing = #expect(throws: EditError.self) { try track.removeTimeRange(range) }
    #expect([emptying?.code, removing?.code] == [code, code])
    #expect(track.shown == before)
  }

  @Test func `time mappings cover the whole track including its gaps`() throws {
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

  @Test func `a gap whose length overflows has no mapping`() throws {
    var track = try EditingFixture.track()
    track.segments[0].target = try EditingFixture.range("0", "1/4294967291")
    track.segments[1].target = try EditingFixture.range("2/4294967279", "1")
    let error = #expect(throws: EditError.self) { try track.timeMappings }
    #expect(error?.code == .overflow)
    #expect(error?.message.hasPrefix("track 1: ") == true)
  }
}
