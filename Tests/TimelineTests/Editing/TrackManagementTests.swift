import Foundation
import Support
import Testing
import Timeline

struct TrackManagementTests {
  @Test func `automatic ids count up from 1`() {
    var composition = Composition()
    #expect(composition.addTrack(mediaType: .video) == 1)
    #expect(composition.addTrack(mediaType: .audio) == 2)
    #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
  }

  @Test func `a preferred id is given when no track has or had it`() {
    var composition = Composition()
    #expect(composition.addTrack(mediaType: .video, preferredID: 7) == 7)
    #expect(composition.addTrack(mediaType: .video, preferredID: 3) == 3)
    #expect(composition.addTrack(mediaType: .video, preferredID: 7) == 8)
  }

  @Test(arguments: [0, -1, Int.min])
  func `an id below 1 is as good as none`(preferred: Int) {
    var composition = Composition(tracks: [Track(id: 4, mediaType: .video)])
    #expect(composition.addTrack(mediaType: .video, preferredID: preferred) == 5)
  }

  @Test func `the id of a removed track is not given again`() throws {
    var composition = Composition()
    composition.addTrack(mediaType: .video, preferredID: 9)
    try composition.removeTrack(9)
    #expect(composition.tracks.isEmpty)
    #expect(composition.addTrack(mediaType: .video, preferredID: 9) == 10)
    #expect(composition.addTrack(mediaType: .video) == 11)
  }

  @Test func `an id is remembered however the track came and went`() {
    var composition = Composition(tracks: [Track(id: 5, mediaType: .video)])
    composition.tracks[0].id = 8
    composition.tracks = []
    #expect(composition.addTrack(mediaType: .video, preferredID: 5) == 9)
    #expect(composition.addTrack(mediaType: .video, preferredID: 8) == 10)
  }

  @Test func `after the highest id there is, free lower ones are given`() {
    var composition = Composition(tracks: [Track(id: 1, mediaType: .video)])
    #expect(composition.addTrack(mediaType: .video, preferredID: .max) == .max)
    #expect(composition.addTrack(mediaType: .video) == 2)
  }

  @Test func `removing a track that is not there names those that are`() throws {
    var composition = Composition()
    composition.addTrack(mediaType: .video)
    composition.addTrack(mediaType: .audio)
    let before = composition
    let error = #expect(throws: EditError.self) { try composition.removeTrack(6) }
    #expect(error?.code == .unknownTrack)
    #expect(error?.message == "there is no track 6; the tracks are 1, 2")
    #expect(composition == before)
  }

  @Test func `removed tracks make no difference to equality and file`() throws {
    var edited = Composition()
    edited.addTrack(mediaType: .video)
    edited.addTrack(mediaType: .audio)
    try edited.removeTrack(2)
    let plain = Composition(tracks: [Track(id: 1, mediaType: .video)])
    #expect(edited == plain)
    #expect(edited.hashValue == plain.hashValue)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(edited) == encoder.encode(plain))
  }

  @Test func `a compatible track is the first of the media type`() throws {
    let beach = try EditingFixture.beach()
    var composition = Composition()
    composition.addTrack(mediaType: .audio)
    let video = try beach.track(mediaType: .video)
    #expect(composition.track(compatibleWith: video) == nil)
    composition.addTrack(mediaType: .video)
    composition.addTrack(mediaType: .video)
    #expect(composition.track(compatibleWith: video)?.id == 2)
    #expect(composition.track(compatibleWith: try beach.track(mediaType: .audio))?.id == 1)
  }

  @Test func `a track is edited in place by its id`() throws {
    var composition = Composition()
    let id = composition.addTrack(mediaType: .video)
    let video = try EditingFixture.beach().track(mediaType: .video)
    let range = try EditingFixture.range("0", "4")
    try composition.editTrack(id) {
      try $0.insertTimeRange(range, of: video)
    }
    #expect(composition.track(id)?.shown == ["beach [0, 4) at [0, 4)"])
  }

  @Test func `edits of a track that fail half-way leave the composition as it was`() throws {
    var composition = Composition(tracks: [try EditingFixture.track()])
    let before = composition
    let range = try EditingFixture.range("0", "1")
    let error = #expect(throws: EditError.self) {
      try composition.editTrack(1) { track in
        try track.removeTimeRange(range)
        try track.scaleTimeRange(range, toDuration: .zero)
      }
    }
    #expect(error?.code == .invalidDuration)
    #expect(composition == before)
  }

  @Test func `an asset lists its tracks, and refuses others`() throws {
    let beach = try EditingFixture.beach()
    #expect(beach.tracks.map(\.mediaType) == [.video, .audio])
    #expect(EditingFixture.song.tracks.map(\.mediaType) == [.audio])
    let error = #expect(throws: EditError.self) {
      try beach.track(mediaType: .video, trackIndex: 1)
    }
    #expect(error?.code == .unknownAssetTrack)
    #expect(error?.message == "the asset \"beach\" has no video track 1; it has 0")
  }
}
