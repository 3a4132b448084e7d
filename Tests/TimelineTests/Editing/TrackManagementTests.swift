import Foundation
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TrackManagementTests {
  @Test func `automatic ids count up from 1`() {
    var composition = Composition()
    #expect(composition.addTrack(mediaType: .video) == 1)
    #expect(composition.addTrack(mediaType: .audio) == 2)
    #expect(composition.tracks.map(\.mediaType) == [.video, .audio])
  }

  @Test func `a preferred id is used if no track has ever had it`() {
    var composition = Composition()
    #expect(composition.addTrack(mediaType: .video, preferredID: 7) == 7)
    #expect(composition.addTrack(mediaType: .video, preferredID: 3) == 3)
    #expect(composition.addTrack(mediaType: .video, preferredID: 7) == 8)
  }

  @Test(arguments: [0, -1, Int.min])
  func `a preferred id below 1 is ignored`(preferred: Int) {
    var composition = Composition(tracks: [Track(id: 4, mediaType: .video)])
    #expect(composition.addTrack(mediaType: .video, preferredID: preferred) == 5)
  }

  @Test func `the id of a removed track is not reused`() throws {
    var composition = Composition()
    composition.addTrack(mediaType: .video, preferredID: 9)
    try composition.removeTrack(9)
    #expect(composition.tracks.isEmpty)
    #expect(composition.addTrack(mediaType: .video, preferredID: 9) == 10)
    #expect(composition.addTrack(mediaType: .video) == 11)
  }

  @Test func `ids of replaced and renumbered tracks are not reused`() {
    var composition = Composition(tracks: [Track(id: 5, mediaType: .video)])
    composition.tracks[0].id = 8
    composition.tracks = []
    #expect(composition.addTrack(mediaType: .video, preferredID: 5) == 9)
    #expect(composition.addTrack(mediaType: .video, preferredID: 8) == 10)
  }

  @Test func `free lower ids are used after the highest possible id`() {
    var composition = Composition(tracks: [Track(id: 1, mediaType: .video)])
    #expect(composition.addTrack(mediaType: .video, preferredID: .max) == .max)
    #expect(composition.addTrack(mediaType: .video) == 2)
  }

  @Test func `removing an unknown track lists the known tracks`() throws {
    var composition = Composition()
    composition.addTrack(mediaType: .video)
    composition.addTrack(mediaType: .audio)
    let before = composition
    let error = #expect(throws: EditError.self) { try composition.removeTrack(6) }
    #expect(error?.code == .unknownTrack)
    #expect(error?.message == "there is no track 6; known tracks: 1, 2")
    #expect(composition == before)
  }

  @Test func `removed tracks do not affect equality or the file`() throws {
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

  @Test func `the compatible track is the first one of the media type`() throws {
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

  @Test func `if an edit of a track throws, the composition is unchanged`() throws {
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

  @Test func `an asset lists its tracks and rejects others`() throws {
    let beach = try EditingFixture.beach()
    #expect(beach.tracks.map(\.mediaType) == [.video, .audio])
    #expect(EditingFixture.song.tracks.map(\.mediaType) == [.audio])
    let error = #expect(throws: EditError.self) {
      try beach.track(mediaType: .video, trackIndex: 1)
    }
    #expect(error?.code == .unknownAssetTrack)
    #expect(error?.message == "the asset \"beach\" has no video track 1; known tracks: 0")
  }
}
