import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The chosen frames and the mix of clips that change speed.
@Suite(.mayBlock) struct SpeedTests {
  static let speeds: [(Int64, Int64)] = [(2, 1), (1, 2), (3, 7), (1, 20), (100, 1), (1001, 1000)]

  /// Fails unless every frame shows the last one that begins at or before its source instant, according to an
  /// exhaustive search.
  private func check(
    _ index: MediaIndex, _ ranges: [(source: TimeRange, target: TimeRange)],
    frameDuration: RationalTime
  ) throws {
    let end = try #require(ranges.last?.target.end)
    let segments = ranges.map {
      TrackSegment(asset: "clip", trackIndex: 0, source: $0.source, target: $0.target)
    }
    let project = Project(
      assets: ["clip": Asset(path: "clip.mp4")],
      composition: Composition(tracks: [Track(id: 1, mediaType: .video, segments: segments)]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), frameDuration: frameDuration,
        instructions: [
          Instruction(
            timeRange: try TimeRange(start: .zero, end: end), layers: [LayerInstruction(track: 1)])
        ]))
    let plan = try Planner.plan(
      project, indexes: ["clip": index], digests: ["clip": Planned.digest(1)])
    Planned.check(plan)
    let stream = index.video[0]
    var expected: [Int64?] = []
    for frame in 0..<plan.frameCount {
      let time = try frameDuration * Int64(frame)
      guard let range = ranges.first(where: { $0.target.contains(time) }) else {
        expected.append(nil)
        continue
      }
      let passed =
        try (time - range.target.start) * (range.source.duration / range.target.duration)
      let wanted = try range.source.start + passed + index.start
      let chosen = try stream.frames.times.last { try stream.timeBase * $0 <= wanted }
      expected.append(chosen ?? stream.frames.times[0])
    }
    #expect(try Planned.shown(plan) == expected)
  }

  @Test(arguments: speeds, FrameChoiceTests.rates)
  func `a scaled segment shows the last frame at or before each source instant`(
    speed: (Int64, Int64), rate: (Int64, Int64)
  ) throws {
    let index = try MediaIndex.clip(
      seconds: RationalTime(24), rate: RationalTime(rate.0, rate.1),
      start: RationalTime(1_467, 1000))
    let source = try TimeRange(start: RationalTime(1, 3), duration: RationalTime(20))
    let length = try source.duration * RationalTime(speed.1, speed.0)
    let target = try TimeRange(start: RationalTime(3, 29), duration: min(length, RationalTime(40)))
    try check(
      index,
      [
        (
          try TimeRange(
            start: source.start,
            duration: target.duration * RationalTime(speed.0, speed.1)), target
        )
      ], frameDuration: RationalTime(1001, 30_000))
  }

  @Test(arguments: 0..<20)
  func `contiguous segments at changing speeds each show their own frames`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let index = try MediaIndex.clip(seconds: RationalTime(60), rate: RationalTime(30_000, 1001))
    var ranges: [(source: TimeRange, target: TimeRange)] = []
    var (read, shown) = (try RationalTime(1, 7), RationalTime.zero)
    for _ in 0..<12 {
      let source = try RationalTime(.random(in: 1...300, using: &random), 100)
      let target = try RationalTime(.random(in: 1...300, using: &random), 125)
      let speed = try source / target
      guard try speed > RationalTime(1, 20), speed < RationalTime(100) else { continue }
      ranges.append(
        (
          try TimeRange(start: read, duration: source),
          try TimeRange(start: shown, duration: target)
        ))
      read = try read + source
      shown = try shown + target
    }
    try check(index, ranges, frameDuration: RationalTime(1, 25))
  }

  @Test func `contiguous track segments are one run, and do not become segments of the plan`()
    throws
  {
    let index = try MediaIndex.clip(seconds: RationalTime(30))
    let ramp = ClipSpeed.pieces([
      ClipSpeed.Piece(duration: RationalTime(4), from: RationalTime(1), to: try RationalTime(1, 4)),
      ClipSpeed.Piece(from: try RationalTime(1, 4), to: RationalTime(2)),
    ])
    let sequence = ClipSequence(items: [
      .clip(SequenceClip(path: "a", outPoint: RationalTime(12), speed: ramp))
    ])
    let plan = try Planned.plan(sequence, ["a": index])
    Planned.check(plan)
    #expect(plan.segments.allSatisfy { $0.slices.count == 1 })
    // 6.4 s and 7 1/9 s, in segments of slightly more than a second.
    #expect(plan.segments.count < 16)
    let mix = try #require(plan.mix)
    #expect(mix.inputs.count == 1)
    #expect(mix.inputs[0].timeMap?.pitch == .spectral)
    #expect(mix.inputs[0].timeMap?.pieces.count ?? 0 > 200)
  }

  @Test func `an input at its own speed has no time map`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(30))
    let items = (0..<2).map { _ in SequenceItem.clip(SequenceClip(path: "a")) }
    let mix = try #require(try Planned.plan(ClipSequence(items: items), ["a": index]).mix)
    #expect(mix.inputs.allSatisfy { $0.timeMap == nil })
  }

  @Test func `a change of speed in the composition form has the content keys of the edit`() throws {
    let beach = IndexedAsset(name: "beach", index: try .clip(seconds: RationalTime(10)))
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: RationalTime(8)), of: beach)
    try composition.scaleTimeRange(
      TimeRange(start: RationalTime(2), duration: RationalTime(3)), toDuration: RationalTime(7))
    let edited = Project(
      assets: ["beach": Asset(path: "beach.mp4")], composition: composition)
    let segments = [("0", "2", "0", "2"), ("2", "3", "2", "7"), ("5", "3", "9", "3")].map {
      """
      { "asset": "beach", "source": {"start": \($0.0), "duration": \($0.1)},
        "target": {"start": \($0.2), "duration": \($0.3)} }
      """
    }.joined(separator: ", ")
    let text = """
      { "version": 1, "assets": { "beach": {"path": "beach.mp4"} },
        "composition": { "tracks": [
          { "id": 1, "mediaType": "video", "segments": [\(segments)] },
          { "id": 2, "mediaType": "audio", "segments": [\(segments)] } ] } }
      """
    let written = try ProjectDocument.parse(Array(text.utf8)).project(indexes: [:])
    let plans = try [edited, written].map {
      try Planner.plan(
        $0, indexes: ["beach": beach.index], digests: ["beach": Planned.digest(1)])
    }
    #expect(plans[0] == plans[1])
    #expect(
      try plans[0].segments.map { try $0.contentKey(fingerprint: "x") }
        == plans[1].segments.map { try $0.contentKey(fingerprint: "x") })
    #expect(plans[0].frameCount == 300)
  }
}
