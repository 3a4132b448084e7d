import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ClipSpeedTests {
  private func time(_ text: String) throws -> RationalTime { try RationalTime(text) }

  private func expanded(_ clips: [SequenceItem], music: [MusicClip] = []) throws -> Project {
    try ClipSequence(items: clips, music: music).expanded(indexes: [
      "a": try MediaIndex.clip(seconds: RationalTime(10)),
      "still": MediaIndex.stillImage(size: PixelSize(width: 640, height: 480)),
      "song": MediaIndex.sound(seconds: RationalTime(40)),
    ])
  }

  private func mappings(_ project: Project, track: Int) throws -> [String] {
    try #require(project.composition.track(track)).segments.map {
      "[\($0.source.start), \($0.source.end)) at [\($0.target.start), \($0.target.end))"
    }
  }

  private func lines(_ clip: SequenceClip) -> [String] {
    let error = #expect(throws: ProjectError.self) { try expanded([.clip(clip)]) }
    return error?.lines ?? []
  }

  @Test func `a clip's video and audio play for its length divided by its speed`() throws {
    let project = try expanded([
      .clip(
        SequenceClip(
          path: "a", inPoint: RationalTime(1), outPoint: RationalTime(4),
          speed: .constant(try time("3/2")))),
      .clip(SequenceClip(path: "a", duration: RationalTime(1), speed: .constant(try time("1/3")))),
    ])
    #expect(try mappings(project, track: 1) == ["[1, 4) at [0, 2)"])
    #expect(try mappings(project, track: 2) == ["[0, 1) at [2, 5)"])
    #expect(try mappings(project, track: 3) == mappings(project, track: 1))
    #expect(try mappings(project, track: 4) == mappings(project, track: 2))
    #expect(project.audioMix == nil)
  }

  @Test func `the duration of a transition is in output time`() throws {
    let transition = SequenceTransition(kind: .dissolve, duration: RationalTime(2))
    let half = SequenceClip(
      path: "a", duration: RationalTime(2), speed: .constant(try time("1/2")))
    let project = try expanded([.clip(half), .transition(transition), .clip(half)])
    #expect(try mappings(project, track: 1) == ["[0, 2) at [0, 4)"])
    #expect(try mappings(project, track: 2) == ["[0, 2) at [2, 6)"])
    var double = half
    double.speed = .constant(RationalTime(2))
    let error = #expect(throws: ProjectError.self) {
      try expanded([.clip(half), .transition(transition), .clip(double)])
    }
    #expect(
      error?.lines == [
        "sequence[2]: \"a\" plays for 1 s, but the transition at its end takes 2 s; lengthen the clip or shorten the transition by 1 s"
      ])
  }

  @Test func `pieces are consecutive, and the last plays the rest`() throws {
    let project = try expanded([
      .clip(
        SequenceClip(
          path: "a",
          speed: .pieces([
            ClipSpeed.Piece(duration: RationalTime(2), from: RationalTime(1), to: RationalTime(1)),
            ClipSpeed.Piece(duration: RationalTime(1), from: try time("1/4"), to: try time("1/4")),
            ClipSpeed.Piece(from: RationalTime(7), to: RationalTime(7)),
          ])))
    ])
    #expect(
      try mappings(project, track: 1) == [
        "[0, 2) at [0, 2)", "[2, 3) at [2, 6)", "[3, 10) at [6, 7)",
      ])
  }

  @Test(arguments: [("1", "1/4", "2"), ("1/4", "1", "3"), ("2/7", "13/3", "10"), ("1", "100", "9")])
  func `the speed of a ramp changes linearly in exact steps`(
    from: String, to: String, length: String
  ) throws {
    let (from, to, length) = (try time(from), try time(to), try time(length))
    let project = try expanded([
      .clip(
        SequenceClip(
          path: "a", duration: length, speed: .pieces([ClipSpeed.Piece(from: from, to: to)])))
    ])
    let segments = try #require(project.composition.track(1)).segments
    let total = try length * RationalTime(2) / (from + to)
    #expect(segments.first?.target.start == .zero)
    #expect(segments.last?.target.end == total)
    #expect(segments.last?.source.end == length)
    for (number, segment) in segments.enumerated() {
      if number > 0 { #expect(segment.playsOn(from: segments[number - 1])) }
      #expect(try segment.target.duration <= RationalTime(1, ClipSpeed.stepsPerSecond))
      let middle = try (segment.target.start + segment.target.end) / RationalTime(2)
      #expect(try segment.speed == from + (to - from) * (middle / total))
    }
  }

  @Test func `clips whose pitch follows the speed have separate tracks`() throws {
    var fast = SequenceClip(path: "a", speed: .constant(RationalTime(2)), pitch: .varispeed)
    let project = try expanded(
      [.clip(fast), .clip(SequenceClip(path: "a")), .clip(SequenceClip(path: "a"))],
      music: [MusicClip(path: "song")])
    #expect(Set(project.composition.tracks.map(\.id)) == [1, 2, 3, 4, 5, 6])
    #expect(try mappings(project, track: 6) == ["[0, 10) at [0, 5)"])
    #expect(
      project.audioMix?.inputParameters == [
        AudioMixInputParameters(track: 6, audioTimePitchAlgorithm: .varispeed)
      ])
    fast.speed = .normal
    #expect(try expanded([.clip(fast)]).audioMix == nil)
  }

  @Test func `music plays at its speed, and each repetition of a loop is whole samples`() throws {
    var song = MusicClip(path: "song", outPoint: RationalTime(6), speed: RationalTime(2))
    #expect(
      try mappings(expanded([.clip(SequenceClip(path: "a"))], music: [song]), track: 5)
        == ["[0, 6) at [0, 3)"])
    song.loops = true
    song.pitch = .varispeed
    let project = try expanded([.clip(SequenceClip(path: "a"))], music: [song])
    #expect(
      try mappings(project, track: 5) == [
        "[0, 6) at [0, 3)", "[0, 6) at [3, 6)", "[0, 6) at [6, 9)", "[0, 2) at [9, 10)",
      ])
    #expect(project.audioMix?.inputParameters.map(\.audioTimePitchAlgorithm) == [.varispeed])
  }

  @Test func `invalid speeds are rejected with one finding`() throws {
    #expect(
      lines(
        SequenceClip(path: "still", duration: RationalTime(2), speed: .constant(RationalTime(2))))
        == [
          "sequence[0].speed: \"still\" is a still image, which has no speed; remove it, and set how long the image is shown with \"duration\""
        ])
    func pieces(_ lengths: Int64...) -> SequenceClip {
      SequenceClip(
        path: "a",
        speed: .pieces(
          lengths.map {
            ClipSpeed.Piece(duration: RationalTime($0), from: RationalTime(2), to: RationalTime(2))
          }))
    }
    #expect(
      lines(pieces(2, 3)) == [
        "sequence[0].speed: the pieces play 5 s of the file, but the clip plays 10 s of it; add 5 s, or omit \"duration\" in the last piece so that it plays the rest"
      ])
    #expect(
      lines(pieces(8, 3)) == [
        "sequence[0].speed: the pieces play 11 s of the file, but the clip plays 10 s of it; remove 1 s, or omit \"duration\" in the last piece so that it plays the rest"
      ])
  }

  @Test func `a last piece is rejected if no part of the clip is left for it`() throws {
    let piece = ClipSpeed.Piece(
      duration: RationalTime(10), from: RationalTime(2), to: RationalTime(2))
    let rest = ClipSpeed.Piece(from: RationalTime(1), to: RationalTime(1))
    #expect(
      lines(SequenceClip(path: "a", speed: .pieces([piece, rest]))) == [
        "sequence[0].speed[1]: no part of the clip is left for this piece; shorten the pieces before it"
      ])
  }
}
