import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct SequenceExpansionTests {
  private func transition(
    _ kind: SequenceTransition.Kind, _ duration: RationalTime
  ) -> SequenceItem { .transition(SequenceTransition(kind: kind, duration: duration)) }

  private func clip(_ path: String, _ inPoint: Int64? = nil, _ outPoint: Int64? = nil)
    -> SequenceItem
  {
    .clip(
      SequenceClip(
        path: path, inPoint: inPoint.map { RationalTime($0) },
        outPoint: outPoint.map { RationalTime($0) }))
  }

  private func range(_ start: RationalTime, _ end: RationalTime) throws -> TimeRange {
    try TimeRange(start: start, end: end)
  }

  private func indexes(_ seconds: Int64...) throws -> [String: MediaIndex] {
    var indexes: [String: MediaIndex] = [:]
    for (name, length) in zip(["a", "b", "c"], seconds) {
      indexes[name] = try MediaIndex.clip(seconds: RationalTime(length))
    }
    return indexes
  }

  @Test func `clips on two tracks overlap by their transitions`() throws {
    let half = try RationalTime(1, 2)
    let sequence = ClipSequence(items: [
      clip("a", 2, 12), transition(.dissolve, RationalTime(1)), clip("b"),
      transition(.push, half), clip("c"),
    ])
    let project = try sequence.expanded(indexes: indexes(20, 8, 5))
    let video = project.composition.tracks.filter { $0.mediaType == .video }
    #expect(video.map(\.id) == [1, 2])
    #expect(
      video[0].segments.map(\.target) == [
        try range(.zero, RationalTime(10)), try range(RationalTime(33, 2), RationalTime(43, 2)),
      ])
    #expect(video[0].segments[0].source == (try range(RationalTime(2), RationalTime(12))))
    #expect(video[1].segments.map(\.target) == [try range(RationalTime(9), RationalTime(17))])
    #expect(project.composition.duration == (try RationalTime(43, 2)))
    #expect(
      project.videoComposition?.instructions.map(\.timeRange) == [
        try range(.zero, RationalTime(9)), try range(RationalTime(9), RationalTime(10)),
        try range(RationalTime(10), RationalTime(33, 2)),
        try range(RationalTime(33, 2), RationalTime(17)),
        try range(RationalTime(17), RationalTime(43, 2)),
      ])
    #expect(
      project.videoComposition?.instructions.map { $0.layers.map(\.track) } == [
        [1], [1, 2], [2], [2, 1], [1],
      ])
  }

  @Test(
    arguments: [
      // The audio extends 0.02 s beyond both ends of the video. 100 frames are 4 s.
      ("0", nil, nil, "1/50", "201/50"), ("1/20", nil, nil, "1/50", "201/50"),
      ("1", nil, nil, "1/50", "251/50"), ("0", "0", nil, "0", "201/50"),
      ("0", "1", nil, "1", "201/50"), ("0", nil, "2", "1/50", "2"),
    ] as [(String, String?, String?, String, String)])
  func `a clip without in and out points plays all its frames`(
    tail: String, inPoint: String?, outPoint: String?, start: String, end: String
  ) throws {
    var index = try MediaIndex.clip(seconds: RationalTime(4), start: RationalTime(7))
    index.start = try RationalTime(7) - RationalTime(1, 50)
    index.duration = try RationalTime(4) + RationalTime(1, 50) + RationalTime(tail)
    let clip = SequenceClip(
      path: "a", inPoint: try inPoint.map { try RationalTime($0) },
      outPoint: try outPoint.map { try RationalTime($0) })
    let project = try ClipSequence(items: [.clip(clip)]).expanded(indexes: ["a": index])
    let expected = try range(RationalTime(start), RationalTime(end))
    #expect(project.composition.tracks.flatMap(\.segments).map(\.source) == [expected, expected])
  }

  @Test func `a clip with rounded times lasts whole frames`() throws {
    // 30 frames per second in milliseconds: the last frame ends at 3.333 s, but 100 frames end at 10/3 s.
    let times = (0..<100 as Range<Int64>).map { ($0 * 100 + 1) / 3 }
    let index = MediaIndex.clip(
      times: times, end: 3333, timeBase: try RationalTime(1, 1000),
      duration: try RationalTime(3333, 1000), rate: RationalTime(30))
    let clips = (0..<10).map { _ in SequenceItem.clip(SequenceClip(path: "a")) }
    let project = try ClipSequence(items: clips).expanded(indexes: ["a": index])
    #expect(project.composition.duration == (try RationalTime(100, 3)))
    #expect(project.findings(indexes: ["a": index]) == [])
  }

  @Test func `sound is cross-faded linearly over each transition`() throws {
    let sequence = ClipSequence(items: [
      clip("a"), transition(.dissolve, RationalTime(1)),
      .clip(SequenceClip(path: "b", volume: 0.5)), clip("c"),
    ])
    let project = try sequence.expanded(indexes: indexes(10, 8, 5))
    let (fade, volumes) = (
      try range(RationalTime(9), RationalTime(10)), project.audioMix?.inputParameters
    )
    #expect(volumes?.map(\.track) == [3, 4])
    #expect(
      volumes?.map(\.volume) == [
        Ramps([
          .ramp(timeRange: fade, from: 1, to: 0), .step(at: RationalTime(17), value: 1),
        ]),
        Ramps([.ramp(timeRange: fade, from: 0, to: 0.5)]),
      ])
  }

  @Test(arguments: SequenceTransition.Kind.allCases)
  func `sound is cross-faded with equal power if the transition requests it`(
    kind: SequenceTransition.Kind
  ) throws {
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a", volume: 0.5)),
      .transition(
        SequenceTransition(
          kind: kind, duration: RationalTime(1), easing: .easeIn, audio: .equalPower,
          map: kind.isMapped ? "map" : nil)),
      .clip(SequenceClip(path: "b", volume: 0.5)),
    ])
    var indexes = try indexes(10, 8)
    indexes["map"] = MediaIndex.stillImage(size: PixelSize(width: 64, height: 64))
    let project = try sequence.expanded(indexes: indexes)
    let volumes = try #require(project.audioMix?.inputParameters.map(\.volume))
    #expect(volumes.count == 2)
    for sample in Int64(0)..<100 {
      let time = try RationalTime(9) + RationalTime(sample, 100)
      let gains = volumes.compactMap { $0.value(at: time) }
      #expect(abs(gains[0] - 0.5 * cos(Double(sample) / 200 * .pi)) < 1e-12)
      #expect(abs(gains[1] - 0.5 * sin(Double(sample) / 200 * .pi)) < 1e-12)
    }
    #expect(volumes[0].finalValue == 0)
    #expect(volumes[1].finalValue == 0.5)
  }

  @Test func `a clip without sound is silent, and one without video is rejected`() throws {
    var indexes = try indexes(10, 8)
    indexes["a"]?.audio = []
    let silent = try ClipSequence(items: [clip("a"), clip("b")]).expanded(indexes: indexes)
    #expect(silent.composition.tracks.map(\.id) == [1, 2, 4])
    indexes["a"] = MediaIndex.sound(seconds: RationalTime(10))
    #expect(
      refusal(ClipSequence(items: [clip("a"), clip("b")]), indexes) == [
        "sequence[0].clip: \"a\" has no video; use a file with video, or move it to \"music\""
      ])
  }

  @Test func `a still image needs a duration`() throws {
    let indexes = ["a": MediaIndex.stillImage(size: PixelSize(width: 64, height: 64))]
    #expect(
      refusal(ClipSequence(items: [clip("a")]), indexes) == [
        "sequence[0].duration: \"a\" is a still image without a duration; add \"duration\""
      ])
    let item = SequenceItem.clip(SequenceClip(path: "a", duration: RationalTime(3)))
    let project = try ClipSequence(items: [item]).expanded(indexes: indexes)
    #expect(project.composition.duration == RationalTime(3))
    #expect(project.videoComposition?.frameDuration == (try RationalTime(1, 30)))
  }

  @Test func `music is cut at the end of the video and faded`() throws {
    var indexes = try indexes(10)
    indexes["song"] = MediaIndex.sound(seconds: RationalTime(60))
    let music = MusicClip(
      path: "song", start: RationalTime(1), inPoint: RationalTime(5), volume: 0.4,
      fadeIn: RationalTime(1), fadeOut: RationalTime(3))
    let project = try ClipSequence(items: [clip("a")], music: [music]).expanded(indexes: indexes)
    let track = try #require(project.composition.track(5))
    #expect(track.segments.map(\.source) == [try range(RationalTime(5), RationalTime(14))])
    #expect(track.segments.map(\.target) == [try range(RationalTime(1), RationalTime(10))])
    #expect(
      project.audioMix?.inputParameters == [
        AudioMixInputParameters(
          track: 5,
          volume: Ramps([
            .ramp(timeRange: try range(RationalTime(1), RationalTime(2)), from: 0, to: 0.4),
            .ramp(timeRange: try range(RationalTime(7), RationalTime(10)), from: 0.4, to: 0),
          ]))
      ])
  }

  @Test(arguments: [
    (
      RationalTime(4),
      "sequence[2]: \"b\" plays for 5 s, but the transitions at its two ends take 8 s; lengthen the clip or shorten the transition by 3 s"
    ),
    (
      RationalTime(3),
      "sequence[2]: \"b\" plays for 5 s, but the transitions at its two ends take 6 s; lengthen the clip or shorten the transition by 1 s"
    ),
  ])
  func `transitions that do not fit report the missing time`(duration: RationalTime, line: String)
    throws
  {
    let sequence = ClipSequence(items: [
      clip("a"), transition(.dissolve, duration), clip("b"), transition(.wipe, duration), clip("c"),
    ])
    #expect(refusal(sequence, try indexes(10, 5, 10)) == [line])
  }

  @Test func `a transition longer than both clips is reported for both`() throws {
    let sequence = ClipSequence(items: [
      clip("a"), transition(.dissolve, RationalTime(7)), clip("b"),
    ])
    #expect(
      refusal(sequence, try indexes(6, 5)) == [
        "sequence[0]: \"a\" plays for 6 s, but the transition at its end takes 7 s; lengthen the clip or shorten the transition by 1 s",
        "sequence[2]: \"b\" plays for 5 s, but the transition at its end takes 7 s; lengthen the clip or shorten the transition by 2 s",
      ])
  }

  @Test func `transitions may use an entire clip`() throws {
    let sequence = ClipSequence(items: [
      clip("a"), transition(.dissolve, RationalTime(2)), clip("b"),
      transition(.push, RationalTime(3)), clip("c"),
    ])
    let project = try sequence.expanded(indexes: indexes(10, 5, 10))
    #expect(project.videoComposition?.instructions.count == 4)
    #expect(project.findings(indexes: try indexes(10, 5, 10)) == [])
  }

  @Test func `all ranges beyond the ends of clips are reported together`() throws {
    var indexes = try indexes(10, 5)
    indexes["song"] = try MediaIndex.clip(seconds: RationalTime(9), hasAudio: false)
    let sequence = ClipSequence(
      items: [clip("a", 0, 12), clip("b", 6), clip("x")], music: [MusicClip(path: "song")])
    #expect(
      refusal(sequence, indexes) == [
        "sequence[0].out: 12 s is beyond the end of \"a\", which is 10 s long; use a time within the file",
        "sequence[1].in: 6 s is beyond the end of \"b\", which is 5 s long; use a time within the file",
        "sequence[2].clip: \"x\" has not been read; check that the file exists and is a media file",
        "music[0].clip: \"song\" has no audio; use a file with audio",
      ])
  }

  @Test(arguments: 0..<60)
  func `the expansion of any sequence is valid and has the expected duration`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (items, indexes): ([SequenceItem], [String: MediaIndex]) = ([], [:])
    var total = RationalTime.zero
    indexes["map"] = MediaIndex.stillImage(size: PixelSize(width: 64, height: 64))
    let count = Int.random(in: 1...8, using: &random)
    for number in 0..<count {
      // Whole frames, because a clip without an out point ends with its last frame.
      let length = try RationalTime(.random(in: 60...400, using: &random), 25)
      indexes["\(number)"] = try MediaIndex.clip(
        seconds: length,
        size: PixelSize(
          width: .random(in: 20...400, using: &random) * 2,
          height: .random(in: 20...400, using: &random) * 2),
        hasAudio: Bool.random(using: &random))
      if number > 0, Bool.random(using: &random) {
        let duration = try RationalTime(.random(in: 1...1001, using: &random), 1001)
        let kind = SequenceTransition.Kind.allCases.randomElement(using: &random) ?? .dissolve
        let direction = MotionDirection.allCases.randomElement(using: &random) ?? .left
        items.append(
          .transition(
            SequenceTransition(
              kind: kind, duration: duration, direction: direction, color: .random(in: &random),
              easing: .random(in: &random),
              audio: SequenceTransition.CrossFade.allCases.randomElement(using: &random) ?? .linear,
              softness: kind.hasEdge ? .random(in: 0...1, using: &random) : 0,
              map: kind.isMapped ? "map" : nil)
          ))
        total = try total - duration
      }
      items.append(
        .clip(SequenceClip(path: "\(number)", fit: Fit.allCases.randomElement(using: &random))))
      total = try total + length
    }
    let project = try ClipSequence(items: items).expanded(indexes: indexes)
    #expect(project.composition.duration == total)
    #expect(project.findings(indexes: indexes) == [])
    let reread = try ProjectDocument.parse(Array(project.json()))
    #expect(reread == .composition(project))
  }

  private func refusal(_ sequence: ClipSequence, _ indexes: [String: MediaIndex]) -> [String] {
    do throws(ProjectError) {
      _ = try sequence.expanded(indexes: indexes)
      return []
    } catch {
      return error.lines
    }
  }
}

extension Color {
  fileprivate static func random(in random: inout SeededRandom) -> Color {
    func component() -> UInt8 { .random(in: 0...255, using: &random) }
    return Color(red: component(), green: component(), blue: component())
  }
}

extension TimingFunction {
  fileprivate static func random(in random: inout SeededRandom) -> TimingFunction {
    func number() -> Double { .random(in: 0...1, using: &random) }
    let curve = TimingFunction.cubicBezier(x1: number(), y1: number(), x2: number(), y2: number())
    return [.linear, .easeIn, .easeOut, .easeInEaseOut, curve].randomElement(using: &random)
      ?? .linear
  }
}
