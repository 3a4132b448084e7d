import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Plans of projects with other footage beside a recording that grows.
@Suite(.mayBlock) struct GrowingPlanTests {
  /// Plans a project after each excerpt and once the recording is complete, and makes sure that each plan begins with the
  /// segments of the one before.
  ///
  /// - Parameters:
  ///   - counts: the numbers of excerpts. With the last one, the recording is complete.
  ///   - pause: the number of the excerpt after which the source pauses for 30 frames.
  /// - Returns: the last plan.
  @discardableResult
  private func grow(
    _ sequence: String, _ counts: some Collection<Int>, leading: Int = 0, pause: Int? = nil,
    export: String, clips: [String: MediaIndex]
  ) throws -> Plan {
    let last = counts.reduce(0, max)
    let (length, shared) = (ExcerptPlanTests.length, ExcerptPlanTests.interval)
    var excerpts = try ExcerptPlanTests.excerpts(last, leading: leading)
    if let pause {
      let first = pause * length - (pause > 0 ? leading : 0)
      excerpts[pause].index = try ExcerptPlanTests.index(
        of: first..<(pause + 1) * length, leading: pause > 0 ? leading : 0)
      excerpts[pause].sharedFrames = 0
      for number in pause + 1..<last {
        let isFirst = number == pause + 1
        let start = number * length + 30 - (isFirst ? 0 : leading)
        excerpts[number].index = try ExcerptPlanTests.index(
          of: start..<(number + 1) * length + 30 + shared, leading: isFirst ? 0 : leading)
      }
    }
    var earlier: [SegmentContent] = []
    for count in counts {
      let recording = ExcerptedRecording(excerpts: Array(excerpts[..<count]), isComplete: false)
      let plan = try ExcerptPlanTests.plan(sequence, recording, export: export, clips: clips)
      let contents = try ExcerptPlanTests.contents(plan)
      #expect(Array(contents.prefix(earlier.count)) == earlier, "\(count) of \(sequence)")
      earlier = contents
    }
    let (before, end) = (
      pause.map { ($0 + 1) * length } ?? last * length + shared, last * length + shared + 30
    )
    let whole = try joined(
      [ExcerptPlanTests.index(of: 0..<before)]
        + (before < end - 30 ? [ExcerptPlanTests.index(of: before + 30..<end)] : []),
      hasLeadingFrames: leading > 0)
    let plan = try ExcerptPlanTests.plan(
      sequence, ExcerptedRecording(excerpts: excerpts, isComplete: true), whole: whole,
      export: export, clips: clips)
    let contents = try ExcerptPlanTests.contents(plan)
    #expect(Array(contents.prefix(earlier.count)) == earlier, "the end of \(sequence)")
    return plan
  }

  /// The index of a recording with these parts.
  private func joined(_ parts: [MediaIndex], hasLeadingFrames: Bool) throws -> MediaIndex {
    var whole = parts[0]
    let tables = parts.map { $0.video[0].frames }
    let end = tables.last?.end ?? 0
    whole.video[0].frames = FrameTable(
      times: tables.flatMap(\.times), end: end,
      keyframes: tables.flatMap(\.keyframes).map {
        var keyframe = $0
        keyframe.hasLeadingFrames = hasLeadingFrames
        return keyframe
      })
    whole.duration = try RationalTime(end, 90_000)
    for number in whole.audio.indices {
      whole.audio[number].end = try whole.duration.ticks(of: whole.audio[number].timeBase)
    }
    return whole
  }

  /// Footage in another format, and footage in that of the recording with a higher bit rate.
  private func clips() throws -> [String: MediaIndex] {
    var peaky = try ExcerptPlanTests.index(of: 0..<200)
    peaky.video[0].copying?.peakBitRate = 90_000_000
    peaky.video[0].copying?.parameterSetIDs = [0, 1, 2]
    var long = try MediaIndex.clip(
      seconds: RationalTime(40), rate: RationalTime(50),
      size: PixelSize(width: 1280, height: 720))
    long.video[0].copying = CopyPoints(
      starts: Array(stride(from: 0, to: 2000, by: 25)), ends: Array(1...2000), delay: 2)
    return ["long": long, "peaky": peaky]
  }

  private static let automatic = #"{"preset": "automatic"}"#

  @Test func `the format of the recording is continued, however long other footage is`() throws {
    let plan = try grow(
      #"{"clip": "long"}, {"clip": "live"}"#, 1...3, export: Self.automatic, clips: clips())
    #expect(plan.renderSize == PixelSize(width: 1920, height: 1080))
    #expect(plan.methods?.contains { $0.kind == .copied } == true)
  }

  @Test func `a clip after the recording changes nothing before it`() throws {
    let plan = try grow(
      #"""
      {"clip": "long", "out": 2}, {"transition": "dissolve", "duration": 1},
      {"clip": "live", "out": 15}, {"clip": "peaky"}
      """#, 1...4, export: Self.automatic, clips: clips())
    #expect(plan.isPartial == nil && plan.frameCount == 25 + 375 + 200)
  }

  @Test(arguments: ["automatic", "mediumQuality"])
  func `no edit makes finished segments depend on later frames`(preset: String) throws {
    let clips = try clips()
    var planned = 0
    let count = Thoroughness.isFull ? 1500 : 100
    for seed in 0..<count {
      var random = SeededRandom(seed: UInt64(seed))
      let sequence = sequence(&random)
      let leading = Int.random(in: 0...3, using: &random)
      let pause = [nil, 0, 1, 2].randomElement(using: &random) ?? nil
      do {
        try grow(
          sequence, 1...5, leading: leading, pause: pause, export: #"{"preset": "\#(preset)"}"#,
          clips: clips)
        planned += 1
      } catch is ProjectError {
        // For example, a transition is longer than a clip.
      }
    }
    #expect(planned > count / 2, "\(planned)")
  }

  private func sequence(_ random: inout SeededRandom) -> String {
    var items: [String] = []
    func clip(_ name: String, before end: Int) -> String {
      let start = Int.random(in: 0..<end, using: &random)
      let length = Int.random(in: 1...400, using: &random)
      let speed = [1, 1, 1, 2, 32].randomElement(using: &random) ?? 1
      let range = #""in": "\#(start)/25", "out": "\#(start + length)/25", "speed": "\#(speed)""#
      return #"{"clip": "\#(name)", \#(range)}"#
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let item =
        switch Int.random(in: 0...4, using: &random) {
        case 0: #"{"clip": "a"}"#
        case 1: clip("peaky", before: 150)
        case 2: clip("long", before: 500)
        default: clip("live", before: 300)
        }
      items.append(item)
      if Int.random(in: 0...3, using: &random) == 0 {
        items.append(#"{"transition": "dissolve", "duration": "1/5"}"#)
      }
    }
    let start = Int.random(in: 0...200, using: &random)
    items.append(#"{"clip": "live", "in": "\#(start)/25"}"#)
    if Bool.random(using: &random) { items.append(#"{"clip": "peaky"}"#) }
    return items.joined(separator: ", ")
  }
}
