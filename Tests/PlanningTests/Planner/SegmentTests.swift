import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct SegmentTests {
  private func clip(_ path: String, _ duration: RationalTime? = nil) -> SequenceItem {
    .clip(SequenceClip(path: path, duration: duration))
  }

  private func dissolve(_ duration: RationalTime) -> SequenceItem {
    .transition(SequenceTransition(kind: .dissolve, duration: duration))
  }

  @Test func `segments break where pass-through and transitions meet at keyframes`() throws {
    let indexes = try ["a", "b"].reduce(into: [:]) { indexes, name in
      indexes[name] = try MediaIndex.clip(seconds: RationalTime(4))
    }
    let plan = try Planned.plan(
      ClipSequence(items: [clip("a"), dissolve(RationalTime(1)), clip("b")]), indexes,
      options: PlanOptions(targetFrames: 1000))
    Planned.check(plan)
    #expect(plan.frameCount == 175)
    #expect(plan.segments.map { $0.first..<$0.end } == [0..<75, 75..<100, 100..<175])
    #expect(plan.segments.map { $0.slices.map(\.layers.count) } == [[1], [2], [1]])
  }

  /// The source frames, by asset, that a plan's segments decode, each as often as it is decoded.
  private func decodedFrames(_ plan: Plan) -> [Int64] {
    plan.segments.flatMap { segment in
      segment.sources.flatMap { source -> [Int64] in
        let table = source.stream.frames
        guard let first = table.times.first, let last = table.times.last,
          let keyframe = table.keyframe(atOrBefore: first)
        else { return [] }
        // All clips here have 90,000 ticks and 25 frames a second.
        return (keyframe.time / 3600...last / 3600).map { $0 + Int64(source.asset.bytes[0]) << 32 }
      }
    }
  }

  @Test(arguments: [10, 25, 60, 120])
  func `no frame is decoded twice if the sources have keyframes`(interval: Int) throws {
    let index = try MediaIndex.clip(seconds: RationalTime(30), keyframeInterval: interval)
    let plan = try Planned.plan(
      ClipSequence(items: [
        clip("a"), dissolve(RationalTime(1)), clip("b"), dissolve(RationalTime(1)), clip("c"),
      ]), ["a": index, "b": index, "c": index])
    Planned.check(plan)
    let decoded = decodedFrames(plan)
    #expect(decoded.count == 3 * 750)
    #expect(Set(decoded).count == decoded.count)
    #expect(plan.segments.allSatisfy { $0.frameCount <= 250 })
    #expect(plan.segments.count > 12)
  }

  @Test func `segments are shorter if their frames take much work`() throws {
    func longest(_ width: Int, _ height: Int, _ export: String) throws -> Int {
      let index = try MediaIndex.clip(
        seconds: RationalTime(60), size: PixelSize(width: width, height: height),
        keyframeInterval: 25)
      let plan = try Copied.plan(
        ["a": index], export: #"{"video": {\#(export)}}"#, #"{"clip": "a"}"#)
      return try #require(plan.segments.map(\.frameCount).max())
    }
    let slow = #""codec": "hevc", "encoderPreset": "medium""#
    // Five seconds, and a quarter of them.
    #expect(try longest(1920, 1080, slow) == 125)
    #expect((25...50).contains(try longest(3840, 2160, slow)))
    #expect(try longest(3840, 2160, #""codec": "h264", "encoderPreset": "fast""#) == 125)
  }

  @Test func `between distant keyframes, a transition is cut where decoding costs least`() throws {
    // Keyframes are at 0, 250 and 500 of each clip; a's frame 725 and b's frame 0 are at 725.
    let index = try MediaIndex.clip(seconds: RationalTime(30), keyframeInterval: 250)
    let plan = try Planned.plan(
      ClipSequence(items: [clip("a"), dissolve(RationalTime(1)), clip("b")]),
      ["a": index, "b": index])
    Planned.check(plan)
    #expect(plan.segments.map(\.first) == [0, 250, 500, 750, 975, 1225])
    let decoded = decodedFrames(plan)
    #expect(decoded.count - Set(decoded).count == 25)
  }

  @Test(arguments: [10, 30, 250])
  func `an insertion changes only the segments around it`(interval: Int) throws {
    let index = try MediaIndex.clip(seconds: RationalTime(100), keyframeInterval: interval)
    func keys(_ items: [SequenceItem]) throws -> [Digest] {
      let plan = try Planned.plan(ClipSequence(items: items), ["a": index, "b": index])
      Planned.check(plan)
      return try plan.segments.map { try $0.contentKey(fingerprint: "x") }
    }
    let place = try RationalTime(1777, 25)
    let whole = try keys([clip("a")])
    let edited = try keys([
      clip("a", place), clip("b", RationalTime(10)),
      .clip(SequenceClip(path: "a", inPoint: place)),
    ])
    #expect(Set(whole).subtracting(edited).count <= 2)
    #expect(Set(edited).subtracting(whole).count <= 5)
  }

  @Test func `a trim on a short timeline changes only the segments around it`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(5), keyframeInterval: 12)
    func keys(_ duration: RationalTime) throws -> [Digest] {
      let items = [
        clip("a"), dissolve(try RationalTime(1, 2)), clip("b", duration),
        dissolve(try RationalTime(1, 2)), clip("c"),
      ]
      let plan = try Planned.plan(
        ClipSequence(items: items), ["a": index, "b": index, "c": index])
      return try plan.segments.map { try $0.contentKey(fingerprint: "x") }
    }
    let (whole, trimmed) = (try keys(RationalTime(5)), try keys(RationalTime(4)))
    #expect(whole.count >= 8)
    #expect(Set(trimmed).subtracting(whole).count <= 2)
  }

  @Test func `a source has the asset's time zero, unless that is 0`() throws {
    let starts = try ([0, 7] as [Int64]).map { seconds -> Set<RationalTime?> in
      let index = try MediaIndex.clip(seconds: RationalTime(2), start: RationalTime(seconds))
      let plan = try Planned.plan(ClipSequence(items: [clip("a")]), ["a": index])
      return Set(plan.segments.flatMap(\.sources).map(\.start))
    }
    #expect(starts == [Set([RationalTime?.none]), Set([RationalTime(7)])])
  }

  @Test func `an edge between two frames belongs to the frame after it`() throws {
    // At 25 frames a second, 2.01 s lies between frames 50 (2.00) and 51 (2.04).
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(4))]
    let plan = try Planned.plan(
      ClipSequence(items: [
        clip("a", try RationalTime(201, 100)), clip("a", RationalTime(2)),
      ]), indexes, options: PlanOptions(targetFrames: 1000))
    #expect(plan.segments.map { $0.first..<$0.end } == [0..<51, 51..<101])
    #expect(plan.segments[1].slices[0].layers[0].frames.first?.time == 0)
  }

  @Test(arguments: [
    (100, 4, [0..<104]), (4, 100, [0..<104]), (100, 5, [0..<100, 100..<105]), (3, 1, [0..<4]),
  ])
  func `slivers are joined to their neighbors`(first: Int64, second: Int64, ranges: [Range<Int>])
    throws
  {
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(8))]
    let plan = try Planned.plan(
      ClipSequence(items: [
        clip("a", try RationalTime(first, 25)), clip("a", try RationalTime(second, 25)),
      ]), indexes, options: PlanOptions(targetFrames: 1000))
    Planned.check(plan)
    #expect(plan.segments.map { $0.first..<$0.end } == ranges)
  }

  @Test func `a long segment is divided where the source has keyframes`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(40), keyframeInterval: 120)
    let plan = try Planned.plan(ClipSequence(items: [clip("a")]), ["a": index])
    Planned.check(plan)
    #expect(plan.segments.map(\.first) == [0, 120, 240, 360, 480, 600, 720, 840])
    for segment in plan.segments {
      let frames = segment.sources[0].stream.frames
      #expect(frames.keyframes.contains { $0.time == frames.times.first })
    }
  }

  @Test func `a long segment without keyframes is also divided`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(40), keyframeInterval: 100_000)
    let plan = try Planned.plan(ClipSequence(items: [clip("a")]), ["a": index])
    Planned.check(plan)
    #expect(plan.segments.map(\.frameCount) == [125, 125, 125, 125, 125, 125, 250])
  }

  @Test(arguments: [(5, 32), (10, 32), (20, 63), (40, 125), (3600, 125)] as [(Int64, Int)])
  func `short timelines still have work for several workers`(seconds: Int64, target: Int) throws {
    let index = try MediaIndex.clip(
      seconds: RationalTime(seconds), keyframeInterval: 1_000_000, hasAudio: false)
    let plan = try Planned.plan(ClipSequence(items: [clip("a")]), ["a": index])
    #expect(plan.segments.first?.frameCount == min(target, plan.frameCount))
  }

  @Test func `a partial last frame counts`() throws {
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(4))]
    let items = [clip("a", try RationalTime(101, 100))]
    let plan = try Planned.plan(ClipSequence(items: items), indexes)
    #expect(plan.frameCount == 26)
    #expect(plan.mix?.sampleCount == Int64(49_920))
  }

  @Test func `a segment carries the frames and keyframes that it needs, and one keyframe more`()
    throws
  {
    let index = try MediaIndex.clip(seconds: RationalTime(40), keyframeInterval: 30)
    let plan = try Planned.plan(
      ClipSequence(items: [
        .clip(SequenceClip(path: "a", inPoint: RationalTime(4), duration: RationalTime(2)))
      ]), ["a": index], options: PlanOptions(targetFrames: 1000))
    let frames = try #require(plan.segments.first?.sources.first?.stream.frames)
    #expect(frames.times == (100..<150).map { Int64($0) * 3600 })
    #expect(frames.end == 150 * 3600)
    #expect(frames.keyframes.map(\.time) == [60, 90, 120].map { $0 * 3600 })
  }

  @Test(arguments: 0..<60)
  func `the segments of any project cover it exactly once, and none is too short`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    var indexes: [String: MediaIndex] = [:]
    var items: [SequenceItem] = []
    for number in 0..<Int.random(in: 1...12, using: &random) {
      let rate = FrameChoiceTests.rates.randomElement(using: &random) ?? (25, 1)
      indexes["\(number)"] = try MediaIndex.clip(
        seconds: RationalTime(20), rate: RationalTime(rate.0, rate.1),
        keyframeInterval: .random(in: 1...300, using: &random),
        hasAudio: .random(using: &random))
      let isShort = Bool.random(using: &random)
      let length = try RationalTime(.random(in: 30...(isShort ? 60 : 2000), using: &random), 101)
      if number > 0, Bool.random(using: &random) {
        items.append(dissolve(try RationalTime(.random(in: 1...14, using: &random), 101)))
      }
      items.append(clip("\(number)", length))
    }
    let plan = try Planned.plan(
      ClipSequence(items: items), indexes,
      options: PlanOptions(targetFrames: Bool.random(using: &random) ? nil : 20))
    Planned.check(plan)
    if plan.segments.count > 1 {
      #expect(plan.segments.allSatisfy { $0.frameCount >= PlanOptions.minimumFrames })
    }
  }

  @Test func `an asset without a digest is refused`() throws {
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(4))]
    let project = try ClipSequence(items: [clip("a")]).expanded(indexes: indexes)
    let error = #expect(throws: ProjectError.self) {
      try Planner.plan(project, indexes: indexes, digests: [:])
    }
    #expect(
      error?.lines == [
        "assets.a: the digest of the asset \"a\" is missing; include its file in the submission"
      ])
  }

  @Test func `an hour of cuts is planned with descriptions that stay small`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(3600), keyframeInterval: 250)
    let plan = try Planned.plan(ClipSequence(items: [clip("a")]), ["a": index])
    #expect(plan.frameCount == 90_000)
    #expect(plan.segments.allSatisfy { $0.sources[0].stream.frames.times.count <= 300 })
    #expect(plan.segments.allSatisfy { $0.slices[0].layers[0].frames.count == 1 })
  }
}
