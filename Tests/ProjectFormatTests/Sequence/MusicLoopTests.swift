import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MusicLoopTests {
  /// Expands a sequence of ten seconds of video with music.
  private func expanded(_ music: MusicClip, sound: MediaIndex) throws -> Project {
    try ClipSequence(items: [.clip(SequenceClip(path: "a"))], music: [music]).expanded(
      indexes: [
        "a": try MediaIndex.clip(seconds: RationalTime(10), hasAudio: false), "song": sound,
      ])
  }

  private func sound(seconds: Int64, heard: Int64? = nil) -> MediaIndex {
    var index = MediaIndex.sound(seconds: RationalTime(seconds))
    index.audio[0].end = heard ?? seconds
    return index
  }

  private func range(_ start: Int64, _ end: Int64) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), end: RationalTime(end))
  }

  @Test func `a loop plays until the video ends and fades as a whole`() throws {
    let music = MusicClip(
      path: "song", start: RationalTime(1), inPoint: RationalTime(2), outPoint: RationalTime(6),
      volume: 0.5, fadeIn: RationalTime(1), fadeOut: RationalTime(5), loops: true)
    let project = try expanded(music, sound: sound(seconds: 8))
    let segments = try #require(project.composition.track(5)).segments
    #expect(segments.map(\.target) == [try range(1, 5), try range(5, 9), try range(9, 10)])
    #expect(segments.map(\.source) == [try range(2, 6), try range(2, 6), try range(2, 3)])
    #expect(
      project.audioMix?.inputParameters.map(\.volume) == [
        Ramps([
          .ramp(timeRange: try range(1, 2), from: 0, to: 0.5),
          .ramp(timeRange: try range(5, 10), from: 0.5, to: 0),
        ])
      ])
  }

  @Test func `a loop ends with its audio even if the file is longer`() throws {
    let project = try expanded(
      MusicClip(path: "song", loops: true), sound: sound(seconds: 8, heard: 7))
    let segments = try #require(project.composition.track(5)).segments
    #expect(segments.map(\.source) == [try range(0, 7), try range(0, 3)])
  }

  @Test func `a loop that is longer than the video is cut off`() throws {
    let project = try expanded(MusicClip(path: "song", loops: true), sound: sound(seconds: 60))
    let segments = try #require(project.composition.track(5)).segments
    #expect(segments.map(\.source) == [try range(0, 10)])
  }

  @Test(arguments: [100, 331, 8000, 44_100, 47_999, 48_000] as [Int64])
  func `all repetitions of a loop have the same whole number of samples`(parts: Int64) throws {
    let end = try RationalTime(parts, 48_001)
    let project = try expanded(
      MusicClip(path: "song", outPoint: end, loops: true), sound: sound(seconds: 8))
    let segments = try #require(project.composition.track(5)).segments
    let length = try RationalTime(try end.ticks(of: RationalTime(1, 48_000)), 48_000)
    #expect(segments.dropLast().allSatisfy { $0.source.duration == length })
    #expect(segments.last?.target.end == RationalTime(10))
    for (earlier, later) in zip(segments, segments.dropFirst()) {
      #expect(later.target.start == earlier.target.end)
    }
  }

  @Test(arguments: [
    (
      MusicClip(
        path: "song", outPoint: try? RationalTime(1, 96_000), loops: true),
      "music[0].loop: 1/96000 s of \"song\" is too short to fill 10 s; loop a longer part: it may repeat at most 100000 times"
    ),
    (
      MusicClip(
        path: "song", outPoint: try? RationalTime(1, 10_001), loops: true),
      "music[0].loop: 1/10001 s of \"song\" is too short to fill 10 s; loop a longer part: it may repeat at most 100000 times"
    ),
    (
      MusicClip(path: "song", inPoint: RationalTime(7), loops: true),
      "music[0].in: 7 s is beyond the end of \"song\", which is 7 s long; use a time within the file"
    ),
    (
      MusicClip(path: "song", fadeOut: RationalTime(11), loops: true),
      "music[0].fadeOut: the fades take 11 s, but the music plays for only 10 s; shorten them by 1 s"
    ),
  ])
  func `an invalid loop is rejected with one finding`(music: MusicClip, line: String) throws {
    let error = #expect(throws: ProjectError.self) {
      try expanded(music, sound: sound(seconds: 8, heard: 7))
    }
    #expect(error?.lines == [line])
  }
}
