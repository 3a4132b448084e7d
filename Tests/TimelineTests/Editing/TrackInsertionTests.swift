import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TrackInsertionTests {
  private let before = ["beach [0, 4) at [0, 4)", "beach [4, 8) at [5, 9)"]

  private func inserting(_ start: String, _ end: String, at time: RationalTime?) throws -> Track {
    var track = try EditingFixture.track()
    let video = try EditingFixture.harbor().track(mediaType: .video)
    try track.insertTimeRange(EditingFixture.range(start, end), of: video, at: time)
    return track
  }

  @Test func `insertion at 0 shifts everything`() throws {
    #expect(
      try inserting("1", "3", at: .zero).shown == [
        "harbor [1, 3) at [0, 2)", "beach [0, 4) at [2, 6)", "beach [4, 8) at [7, 11)",
      ])
  }

  @Test func `insertion within a segment splits it exactly`() throws {
    #expect(
      try inserting("0", "1001/30000", at: RationalTime(1, 3)).shown == [
        "beach [0, 1/3) at [0, 1/3)", "harbor [0, 1001/30000) at [1/3, 3667/10000)",
        "beach [1/3, 4) at [3667/10000, 121001/30000)",
        "beach [4, 8) at [151001/30000, 271001/30000)",
      ])
  }

  @Test func `insertion between segments splits no segment`() throws {
    #expect(
      try inserting("0", "2", at: RationalTime(5)).shown == [
        "beach [0, 4) at [0, 4)", "harbor [0, 2) at [5, 7)", "beach [4, 8) at [7, 11)",
      ])
  }

  @Test func `insertion within a gap leaves a gap on both sides`() throws {
    #expect(
      try inserting("0", "2", at: RationalTime(9, 2)).shown == [
        "beach [0, 4) at [0, 4)", "harbor [0, 2) at [9/2, 13/2)", "beach [4, 8) at [7, 11)",
      ])
  }

  @Test func `without a time the range is appended`() throws {
    #expect(try inserting("0", "2", at: nil).shown == before + ["harbor [0, 2) at [9, 11)"])
  }

  @Test func `insertion after the end leaves a gap`() throws {
    #expect(
      try inserting("0", "2", at: RationalTime(12)).shown == before + [
        "harbor [0, 2) at [12, 14)"
      ])
  }

  @Test func `a still image can be inserted with any duration`() throws {
    var track = Track(id: 1, mediaType: .video)
    try track.insertTimeRange(
      EditingFixture.range("0", "3600"), of: EditingFixture.logo.track(mediaType: .video))
    #expect(track.shown == ["logo [0, 3600) at [0, 3600)"])
  }

  @Test func `several ranges play consecutively, with empty ranges between them`() throws {
    var track = try EditingFixture.track()
    let harbor = try EditingFixture.harbor().track(mediaType: .video)
    let logo = try EditingFixture.logo.track(mediaType: .video)
    try track.insertTimeRanges(
      [
        .media(EditingFixture.range("0", "1"), of: harbor), .empty(duration: RationalTime(2)),
        .media(EditingFixture.range("0", "3"), of: logo), .empty(duration: RationalTime(1)),
      ], at: RationalTime(2))
    #expect(
      track.shown == [
        "beach [0, 2) at [0, 2)", "harbor [0, 1) at [2, 3)", "logo [0, 3) at [5, 8)",
        "beach [2, 4) at [9, 11)", "beach [4, 8) at [12, 16)",
      ])
  }

  @Test func `an empty range at the end of the track is dropped`() throws {
    var track = try EditingFixture.track()
    let duration = track.duration
    try track.insertTimeRanges([.empty(duration: RationalTime(3))])
    #expect(track.shown == before)
    #expect(track.duration == duration)
  }

  @Test func `if one of several ranges is invalid, none is inserted`() throws {
    var track = try EditingFixture.track()
    let harbor = try EditingFixture.harbor().track(mediaType: .video)
    let error = #expect(throws: EditError.self) {
      try track.insertTimeRanges([
        .media(EditingFixture.range("0", "6"), of: harbor),
        .media(EditingFixture.range("0", "7"), of: harbor),
      ])
    }
    #expect(error?.code == .rangeOutsideAsset)
    #expect(
      error?.message
        == "the range [0, 7) is not within the asset \"harbor\"; use a range within [0, 6)")
    #expect(track.shown == before)
  }

  @Test(arguments: [
    ("5", "6.5", "0", EditError.Code.rangeOutsideAsset), ("-1", "1", "0", .rangeOutsideAsset),
    ("2", "2", "0", .invalidDuration), ("2", "1", "0", .invalidDuration),
    ("0", "1", "-1/30", .invalidTime),
  ])
  func `an invalid range for insertion is rejected`(
    start: String, end: String, time: String, code: EditError.Code
  ) throws {
    var track = try EditingFixture.track()
    let harbor = try EditingFixture.harbor().track(mediaType: .video)
    let error = #expect(throws: EditError.self) {
      try track.insertTimeRange(
        EditingFixture.range(start, end), of: harbor, at: RationalTime(time))
    }
    #expect(error?.code == code)
    #expect(track.shown == before)
  }

  @Test func `audio cannot be inserted into a video track`() throws {
    var track = try EditingFixture.track()
    let error = #expect(throws: EditError.self) {
      try track.insertTimeRange(
        EditingFixture.range("0", "1"), of: EditingFixture.song.track(mediaType: .audio))
    }
    #expect(error?.code == .mediaTypeMismatch)
    #expect(track.shown == before)
  }

  @Test func `a time that overflows is rejected`() throws {
    var track = try EditingFixture.track()
    let harbor = try EditingFixture.harbor().track(mediaType: .video)
    let error = #expect(throws: EditError.self) {
      try track.insertTimeRange(
        EditingFixture.range("0", "6"), of: harbor, at: RationalTime(.max))
    }
    #expect(error?.code == .overflow)
    #expect(track.shown == before)
  }

  @Test func `a track with overlapping segments cannot be edited`() throws {
    var track = try EditingFixture.track()
    track.segments.swapAt(0, 1)
    let error = #expect(throws: EditError.self) {
      try track.removeTimeRange(EditingFixture.range("0", "1"))
    }
    #expect(error?.code == .invalidSegments)
  }
}
