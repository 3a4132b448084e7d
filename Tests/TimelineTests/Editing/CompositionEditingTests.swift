import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct CompositionEditingTests {
  /// Beach [0, 4) in tracks 1 and 2, and a song [0, 10) in track 3.
  private func composition() throws -> Composition {
    var composition = Composition()
    try composition.insertTimeRange(EditingFixture.range("0", "4"), of: EditingFixture.beach())
    let id = composition.addTrack(mediaType: .audio)
    let song = try EditingFixture.song.track(mediaType: .audio)
    let range = try EditingFixture.range("0", "10")
    try composition.editTrack(id) {
      try $0.insertTimeRange(range, of: song)
    }
    return composition
  }

  private func shown(_ composition: Composition) -> [[String]] { composition.tracks.map(\.shown) }

  @Test func `inserting an asset creates the tracks that it needs`() throws {
    var composition = Composition()
    let ids = try composition.insertTimeRange(
      EditingFixture.range("0", "4"), of: EditingFixture.beach())
    #expect(ids == [1, 2])
    #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
    #expect(shown(composition) == [["beach [0, 4) at [0, 4)"], ["beach [0, 4) at [0, 4)"]])
  }

  @Test func `inserting an asset uses compatible tracks and shifts all others`() throws {
    var composition = try composition()
    let ids = try composition.insertTimeRange(
      EditingFixture.range("5", "7"), of: EditingFixture.beach(), at: RationalTime(1))
    #expect(ids == [1, 2])
    let parts = ["beach [0, 1) at [0, 1)", "beach [5, 7) at [1, 3)", "beach [1, 4) at [3, 6)"]
    #expect(
      shown(composition) == [
        parts, parts, ["song [0, 1) at [0, 1)", "song [1, 10) at [3, 12)"],
      ])
  }

  @Test func `without a time an asset is appended to the composition`() throws {
    var composition = try composition()
    try composition.insertTimeRange(EditingFixture.range("0", "2"), of: EditingFixture.harbor())
    #expect(
      shown(composition)[0] == ["beach [0, 4) at [0, 4)", "harbor [0, 2) at [10, 12)"])
    #expect(composition.duration == RationalTime(12))
  }

  @Test func `two tracks of an asset are never inserted into the same track`() throws {
    var index = try EditingFixture.beach().index
    index.audio += index.audio
    var composition = try composition()
    try composition.removeTrack(3)
    let ids = try composition.insertTimeRange(
      EditingFixture.range("0", "1"), of: IndexedAsset(name: "beach", index: index))
    #expect(ids == [1, 2, 4])
    #expect(composition.track(4)?.segments.map(\.trackIndex) == [1])
  }

  @Test func `a failed insertion adds no track and uses no id`() throws {
    var composition = Composition()
    let error = #expect(throws: EditError.self) {
      try composition.insertTimeRange(EditingFixture.range("0", "11"), of: EditingFixture.beach())
    }
    #expect(error?.code == .rangeOutsideAsset)
    #expect(composition.tracks.isEmpty)
    #expect(composition.addTrack(mediaType: .video) == 1)
  }

  @Test(arguments: [
    ("0", "1", "-1", EditError.Code.invalidTime), ("1", "1", "0", .invalidDuration),
  ])
  func `an asset is rejected if one of its tracks is`(
    start: String, end: String, time: String, code: EditError.Code
  ) throws {
    var composition = try composition()
    let before = composition
    let error = #expect(throws: EditError.self) {
      try composition.insertTimeRange(
        EditingFixture.range(start, end), of: EditingFixture.beach(), at: RationalTime(time))
    }
    #expect(error?.code == code)
    #expect(composition == before)
  }

  @Test func `an asset without tracks is rejected`() throws {
    let nothing = MediaIndex(
      format: "data", start: .zero, duration: RationalTime(1), isStillImage: false, video: [],
      audio: [])
    var composition = Composition()
    let error = #expect(throws: EditError.self) {
      try composition.insertTimeRange(
        EditingFixture.range("0", "1"), of: IndexedAsset(name: "data", index: nothing))
    }
    #expect(error?.code == .unknownAssetTrack)
  }

  @Test func `an empty range shifts only the tracks that continue after it`() throws {
    var composition = try composition()
    try composition.insertEmptyTimeRange(EditingFixture.range("4", "6"))
    #expect(
      shown(composition) == [
        ["beach [0, 4) at [0, 4)"], ["beach [0, 4) at [0, 4)"],
        ["song [0, 4) at [0, 4)", "song [4, 10) at [6, 12)"],
      ])
  }

  @Test func `an empty range at the end of the composition changes nothing`() throws {
    var composition = try composition()
    let before = composition
    try composition.insertEmptyTimeRange(EditingFixture.range("10", "12"))
    #expect(composition == before)
  }

  @Test func `removing a range closes the gap in every track and removes no track`() throws {
    var composition = try composition()
    try composition.removeTimeRange(EditingFixture.range("0", "5"))
    #expect(shown(composition) == [[], [], ["song [5, 10) at [0, 5)"]])
    #expect(composition.tracks.map(\.id) == [1, 2, 3])
  }

  @Test func `scaling changes every track`() throws {
    var composition = try composition()
    try composition.scaleTimeRange(EditingFixture.range("2", "4"), toDuration: RationalTime(1))
    let parts = ["beach [0, 2) at [0, 2)", "beach [2, 4) at [2, 3)"]
    #expect(
      shown(composition) == [
        parts, parts,
        ["song [0, 2) at [0, 2)", "song [2, 4) at [2, 3)", "song [4, 10) at [3, 9)"],
      ])
  }

  @Test func `no track is changed if one of them cannot be`() throws {
    var composition = try composition()
    composition.tracks[2].segments.append(composition.tracks[2].segments[0])
    let before = composition
    let range = try EditingFixture.range("1", "2")
    let beach = try EditingFixture.beach()
    let edits: [(inout Composition) throws -> Void] = [
      { try $0.insertTimeRange(range, of: beach, at: .zero) },
      { try $0.insertEmptyTimeRange(range) }, { try $0.removeTimeRange(range) },
      { try $0.scaleTimeRange(range, toDuration: RationalTime(2)) },
    ]
    for edit in edits {
      let error = #expect(throws: EditError.self) { try edit(&composition) }
      #expect(error?.code == .invalidSegments)
      #expect(composition == before)
    }
  }

  @Test func `ranges are checked even if there are no tracks`() throws {
    var composition = Composition()
    let range = try EditingFixture.range("2", "1")
    let edits: [(inout Composition) throws -> Void] = [
      { try $0.insertEmptyTimeRange(range) }, { try $0.removeTimeRange(range) },
      { try $0.scaleTimeRange(range, toDuration: RationalTime(2)) },
    ]
    for edit in edits {
      let error = #expect(throws: EditError.self) { try edit(&composition) }
      #expect(error?.code == .invalidDuration)
    }
  }

  @Test func `edits without speed changes produce a project without findings`() throws {
    var composition = try composition()
    let beach = try EditingFixture.beach()
    try composition.insertTimeRange(EditingFixture.range("5", "10"), of: beach, at: RationalTime(3))
    try composition.removeTimeRange(EditingFixture.range("1", "2"))
    let project = Project(
      assets: ["beach": Asset(path: "beach.mp4"), "song": Asset(path: "song.m4a")],
      composition: composition)
    let indexes = ["beach": beach.index, "song": EditingFixture.song.index]
    #expect(project.findings(indexes: indexes) == [])
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `speed changes within the limits produce a project without findings`() throws {
    var composition = Composition()
    try composition.insertTimeRange(EditingFixture.range("0", "4"), of: EditingFixture.harbor())
    try composition.scaleTimeRange(EditingFixture.range("0", "4"), toDuration: RationalTime(2))
    var project = Project(
      assets: ["harbor": Asset(path: "harbor.mp4")], composition: composition)
    #expect(project.findings() == [])
    try project.composition.scaleTimeRange(
      EditingFixture.range("0", "2"), toDuration: try RationalTime(1, 30))
    #expect(
      project.findings().map(\.description) == [
        "composition.tracks[0].segments[0].target.duration: a speed of 120 (4 s played in 1/30 s) is out of range; use a speed from 1/20 to 100"
      ])
  }
}
