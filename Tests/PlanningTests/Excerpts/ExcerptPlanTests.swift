import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Plans of projects that follow a recording.
@Suite(.mayBlock) struct ExcerptPlanTests {
  /// The number of frames from one keyframe to the next: two seconds.
  static let interval = 50
  /// The number of frames that an excerpt shows: six seconds.
  static let length = 150

  /// The index of some frames of a recording.
  ///
  /// - Parameter leading: the number of frames before each keyframe, in presentation order, that are stored after it.
  static func index(of frames: Range<Int>, leading: Int = 0) throws -> MediaIndex {
    let times = frames.map { Int64($0) * 3600 }
    var index = try MediaIndex.clip(
      times: times, end: Int64(frames.upperBound) * 3600, timeBase: RationalTime(1, 90_000),
      duration: RationalTime(Int64(frames.count), 25), rate: RationalTime(25),
      keyframeInterval: interval, hasAudio: true)
    // The sound has the same times as the pictures.
    for number in index.audio.indices {
      let base = index.audio[number].timeBase
      index.audio[number].start = try RationalTime(Int64(frames.lowerBound), 25).ticks(of: base)
      index.audio[number].end = try RationalTime(Int64(frames.upperBound), 25).ticks(of: base)
    }
    let keyframes = stride(from: leading, to: times.count, by: interval)
    index.video[0].frames = FrameTable(
      times: times, end: Int64(frames.upperBound) * 3600,
      keyframes: keyframes.map {
        FrameTable.Keyframe(
          time: times[$0], decodingTime: times[$0], position: -1, hasLeadingFrames: leading > 0)
      })
    index.video[0].copying = CopyPoints(
      starts: Array(keyframes), ends: leading > 0 ? [times.count] : Array(1...times.count),
      delay: 2,
      peakBitRate: 4_000_000 + 10_000 * frames.upperBound)
    return index
  }

  /// The first excerpts of a recording.
  static func excerpts(_ count: Int, leading: Int = 0) throws -> [IndexedExcerpt] {
    try (0..<count).map { number in
      let first = number * length - (number > 0 ? leading : 0)
      return IndexedExcerpt(
        name: "live from \(number)", asset: try Planned.digest(UInt8(100 + number)),
        byteCount: 1000,
        index: try index(
          of: first..<(number + 1) * length + interval, leading: number > 0 ? leading : 0),
        sharedFrames: interval + leading)
    }
  }

  static func plan(
    _ sequence: String, _ recording: ExcerptedRecording, whole: MediaIndex? = nil,
    export: String = #"{"preset": "mediumQuality"}"#, more: String = "",
    clips: [String: MediaIndex] = [:]
  ) throws -> Plan {
    let text = #"{"version": 1, "sequence": [\#(sequence)]\#(more), "export": \#(export)}"#
    let document = try ProjectDocument.parse(Array(text.utf8))
    var indexes = ["a": try MediaIndex.clip(seconds: RationalTime(4))]
    var digests = ["a": try Planned.digest(1)]
    for (number, clip) in clips.sorted(by: { $0.key < $1.key }).enumerated() {
      (indexes[clip.key], digests[clip.key]) = (clip.value, try Planned.digest(UInt8(10 + number)))
    }
    if let whole {
      (indexes["live"], digests["live"]) = (whole.following(recording), try Planned.digest(2))
    } else {
      indexes["live"] = try MediaIndex(
        growing: recording.excerpts, expecting: RationalTime(600))
    }
    let chosen = document.choosingFormat(indexes: indexes)
    let plan = try Planner.plan(
      chosen.project(indexes: indexes), indexes: indexes, digests: digests,
      recordings: ["live": recording])
    Planned.check(plan)
    return plan
  }

  static func contents(_ plan: Plan) throws -> [SegmentContent] {
    try plan.segments.map { try SegmentContent($0) }
  }

  @Test(
    arguments: [
      #"{"clip": "live"}"#, #"{"clip": "live", "speed": "2"}"#,
      #"{"clip": "live", "in": "3.52", "out": 300}"#,
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "live"}, {"clip": "a"}"#,
    ], [#"{"preset": "mediumQuality"}"#, #"{"preset": "automatic"}"#])
  func `each plan begins with the segments of the previous plan`(
    sequence: String, export: String
  ) throws {
    var earlier: [SegmentContent] = []
    for count in 1...6 {
      let plan = try Self.plan(
        sequence,
        ExcerptedRecording(excerpts: Self.excerpts(count), isComplete: false), export: export)
      let contents = try Self.contents(plan)
      #expect(plan.isPartial == true)
      #expect(plan.mix == nil)
      #expect(contents.count > earlier.count)
      #expect(Array(contents.prefix(earlier.count)) == earlier)
      earlier = contents
    }
    guard !sequence.contains("300") else { return }
    let complete = ExcerptedRecording(excerpts: try Self.excerpts(6), isComplete: true)
    let whole = try Self.index(of: 0..<7 * Self.length)
    let plan = try Self.plan(sequence, complete, whole: whole, export: export)
    #expect(plan.isPartial == nil)
    #expect(plan.mix != nil)
    #expect(Array(try Self.contents(plan).prefix(earlier.count)) == earlier)
  }

  @Test func `a plan with excerpts shows the same frames as one without`() throws {
    let whole = try Self.index(of: 0..<7 * Self.length)
    for sequence in [#"{"clip": "live", "in": "1.4"}"#, #"{"clip": "live", "speed": "0.5"}"#] {
      let plain = try Self.plan(
        sequence, ExcerptedRecording(excerpts: [], isComplete: true), whole: whole)
      let excerpted = try Self.plan(
        sequence, ExcerptedRecording(excerpts: Self.excerpts(6), isComplete: true), whole: whole)
      #expect(excerpted.frameCount == plain.frameCount)
      // The times of an excerpt are those of the recording.
      #expect(try Planned.shown(excerpted) == Planned.shown(plain))
      #expect(Set(plain.segments.flatMap(\.sources).map(\.asset)) == [try Planned.digest(2)])
      let shown = Set(excerpted.segments.flatMap(\.sources).map(\.name))
      #expect(shown == Set((0..<6).map { "live from \($0)" } + ["live"]))
    }
  }

  @Test(
    arguments: [#"{"clip": "live"}"#, #"{"clip": "a"}, {"clip": "live"}"#],
    [#"{"preset": "mediumQuality"}"#, #"{"preset": "automatic"}"#])
  func `the segment before a pause is planned once the pause is over`(
    sequence: String, export: String
  ) throws {
    var excerpts = try Self.excerpts(2)
    // The second excerpt ends its part. The third one begins a second later.
    excerpts[1].index = try Self.index(of: Self.length..<2 * Self.length)
    excerpts[1].sharedFrames = 0
    let later = 2 * Self.length + 25
    excerpts.append(
      IndexedExcerpt(
        name: "live again", asset: try Planned.digest(110), byteCount: 1000,
        index: try Self.index(of: later..<later + Self.length + Self.interval),
        sharedFrames: Self.interval))
    var earlier: [SegmentContent] = []
    var counts: [Int] = []
    for count in 1...3 {
      let plan = try Self.plan(
        sequence, ExcerptedRecording(excerpts: Array(excerpts[..<count]), isComplete: false),
        export: export)
      let contents = try Self.contents(plan)
      #expect(Array(contents.prefix(earlier.count)) == earlier)
      earlier = contents
      counts.append(plan.frameCount)
    }
    #expect(counts[1] == counts[0] && counts[2] == counts[0] + 25 + 2 * Self.length)
    // A clip that ends before the pause need not wait.
    let short = try Self.plan(
      #"{"clip": "live", "out": 11}"#,
      ExcerptedRecording(excerpts: Array(excerpts[..<2]), isComplete: false))
    #expect(short.frameCount == 275 && short.isPartial == nil)
  }

  @Test func `leading frames of a keyframe belong to the previous excerpt`()
    throws
  {
    let excerpts = try Self.excerpts(3, leading: 2)
    let plan = try Self.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: excerpts, isComplete: false))
    #expect(
      try Planned.shown(plan) == (0..<3 * Self.length).map { Int64($0) * 3600 })
    for segment in plan.segments {
      for slice in segment.slices {
        let source = segment.sources[slice.layers[0].source]
        let keyframe = try #require(source.stream.frames.starts.first)
        #expect(try #require(Planned.times(of: slice.layers[0]).first) >= keyframe.time)
      }
    }
  }

  @Test func `a plan is not partial once all that it shows is recorded`() throws {
    let sequence = #"{"clip": "live", "in": 2, "out": 8}, {"clip": "a"}"#
    let one = try Self.plan(
      sequence, ExcerptedRecording(excerpts: Self.excerpts(1), isComplete: false))
    #expect(one.isPartial == true)
    #expect(one.frameCount == 100)
    let two = try Self.plan(
      sequence, ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false))
    #expect(two.isPartial == nil)
    #expect(two.frameCount == 250)
  }

  @Test(arguments: [(1, nil), (5, true)] as [(Int, Bool?)])
  func `a plan is partial as long as sound is not recorded`(clips: Int, isPartial: Bool?) throws {
    // Twelve seconds are recorded; each clip has four.
    let plan = try Self.plan(
      Array(repeating: #"{"clip": "a"}"#, count: clips).joined(separator: ", "),
      ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false),
      more: #", "music": [{"clip": "live"}]"#)
    #expect(plan.frameCount == clips * 100)
    #expect(plan.isPartial == isPartial)
  }

  @Test func `a plan has no segments if its first frame is not recorded yet`() throws {
    let plan = try Self.plan(
      #"{"clip": "live", "in": 20, "out": 30}, {"clip": "a"}"#,
      ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false))
    #expect(plan.segments.isEmpty)
    #expect(plan.isPartial == true)
  }

  @Test func `an excerpt is not used if decoding the recording cannot start there`() throws {
    var whole = try Self.index(of: 0..<7 * Self.length)
    let table = whole.video[0].frames
    whole.video[0].frames = FrameTable(
      times: table.times, end: table.end,
      keyframes: table.keyframes.enumerated().map { number, keyframe in
        var keyframe = keyframe
        // The first keyframe of the third excerpt, and the second one of the first.
        keyframe.isSeekable = number != 6 && number != 1
        return keyframe
      })
    let plan = try Self.plan(
      #"{"clip": "live"}"#,
      ExcerptedRecording(excerpts: Self.excerpts(4), isComplete: true), whole: whole)
    let sources = plan.segments.flatMap(\.sources)
    #expect(Set(sources.map(\.name)) == ["live from 0", "live from 1", "live"])
    let unsafe = [table.times[50], table.times[300]]
    #expect(!sources.flatMap(\.stream.frames.starts).contains { unsafe.contains($0.time) })
    #expect(try Planned.shown(plan) == table.times)
  }

  @Test func `an excerpt whose times differ from the recording's is not used`() throws {
    let whole = try Self.index(of: 0..<7 * Self.length)
    var excerpts = try Self.excerpts(4)
    var times = excerpts[2].index.video[0].frames.times
    times[60] += 1
    excerpts[2].index.video[0].frames = FrameTable(
      times: times, end: excerpts[2].index.video[0].frames.end,
      keyframes: excerpts[2].index.video[0].frames.keyframes)
    let plan = try Self.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: excerpts, isComplete: true), whole: whole)
    let shown = Set(plan.segments.flatMap(\.sources).map(\.name))
    #expect(shown == ["live from 0", "live from 1", "live"])
    #expect(try Planned.shown(plan) == whole.video[0].frames.times)
  }

  /// The inputs of an interim mix before a sample: the assets, and the samples of each in the mix and in the asset.
  private static func heard(_ plan: Plan, before end: Int64) throws -> [String] {
    let mix = try #require(plan.interimMix).restricted(to: 0..<end)
    return mix.inputs.map {
      "\(mix.sources[$0.source].name): \($0.samples) from \($0.sourceSample)"
    }
  }

  @Test(
    arguments: [
      #"{"clip": "live"}"#, #"{"clip": "live", "in": "3.52"}"#,
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "live"}"#,
    ])
  func `what is heard up to the end of a plan stays the same in later plans`(
    sequence: String
  ) throws {
    var plans: [Plan] = []
    for count in 1...6 {
      plans.append(
        try Self.plan(
          sequence, ExcerptedRecording(excerpts: Self.excerpts(count), isComplete: false)))
    }
    let complete = ExcerptedRecording(excerpts: try Self.excerpts(6), isComplete: true)
    plans.append(try Self.plan(sequence, complete, whole: Self.index(of: 0..<7 * Self.length)))
    for (plan, next) in zip(plans, plans.dropFirst()) {
      #expect(plan.interimSound == .mixed)
      // Encoders look ahead by a few packets.
      let end = Int64(plan.frameCount) * 1920 + 4096
      #expect(try Self.heard(plan, before: end) == Self.heard(next, before: end))
    }
    // Without gaps, and to the end.
    let mix = try #require(plans.last?.interimMix)
    let recorded = mix.inputs.filter { mix.sources[$0.source].name.hasPrefix("live") }
    for (part, next) in zip(recorded, recorded.dropFirst()) {
      #expect(part.samples.upperBound == next.targetSample)
      #expect(part.sourceSample + part.sampleCount == next.sourceSample)
    }
    #expect(recorded.last?.samples.upperBound == mix.sampleCount)
    #expect(recorded.last.map { mix.sources[$0.source].name } == "live")
    #expect(Set(recorded.map(\.source)).count >= 6)
  }

  @Test func `an interim mix is AAC and has no target loudness`() throws {
    let plan = try Self.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false),
      export: """
        {"preset": "mediumQuality",
         "audio": {"codec": "flac", "bitDepth": 24, "loudness": {"target": -16}}, "fileType": "mkv"}
        """)
    let settings = try #require(plan.interimMix?.settings)
    #expect(settings.codec == .aac && settings.loudness == nil && settings.bitDepth == nil)
    #expect(plan.interimMix?.onDamage == .conceal)
  }

  @Test func `ducking in an interim mix depends only on sound that a piece is made from`() throws {
    let plan = try Self.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false),
      more: #"""
        , "music": [{"clip": "a", "duck": {"attack": 8, "hold": 4, "release": 30}},
          {"clip": "a", "duck": {"hold": 20, "release": 30}},
          {"clip": "a", "duck": {"attack": "0.1", "hold": 1, "release": 2}}]
        """#)
    let times = try #require(plan.interimMix?.ducking).map {
      [$0.ducking.attack, $0.ducking.hold, $0.ducking.release]
    }
    let short = try RationalTime(1, 5)
    #expect(
      try times == [
        [short, RationalTime(4), RationalTime(6)], [short, RationalTime(9), RationalTime(1)],
        [RationalTime(1, 10), RationalTime(1), RationalTime(2)],
      ])
  }

  @Test func `the reach of a piece includes what ducks it, and numbers may be out of range`() throws
  {
    let plan = try Self.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: Self.excerpts(2), isComplete: false),
      more: #", "music": [{"clip": "a", "duck": true}]"#)
    let mix = try #require(plan.interimMix)
    var reach = mix.interimReach
    let (start, end) = (RationalTime(20), RationalTime(25))
    let samples = try reach.samples(from: start, before: end)
    #expect(samples.lowerBound <= 9 * 48_000 && samples.upperBound >= 26 * 48_000)
    #expect(try reach.samples(from: nil, before: nil) == 0..<Int64.max)
    for number in [Int64.max - 10, .max] {
      reach.skippedSamples = number
      #expect(throws: TimeError.overflow) { try reach.samples(from: start, before: end) }
    }
    reach = mix.interimReach
    reach.margin = .max
    #expect(throws: TimeError.overflow) { try reach.samples(from: start, before: end) }
  }

  @Test func `there is no interim mix of a recording at another speed, or without sound`() throws {
    var recording = ExcerptedRecording(excerpts: try Self.excerpts(2), isComplete: false)
    let fast = try Self.plan(#"{"clip": "live", "speed": 2}"#, recording)
    #expect(fast.interimSound == .pending && fast.interimMix == nil)
    // Each of the other clips lasts for 4/0.9 seconds.
    for (count, sound) in [(1, InterimSound.mixed), (13, .mixed), (14, .pending)] {
      let music = Array(repeating: #"{"clip": "a", "speed": "9/10"}"#, count: count)
      let plan = try Self.plan(
        #"{"clip": "live"}"#, recording, more: #", "music": [\#(music.joined(separator: ", "))]"#)
      #expect(plan.interimSound == sound, "\(count) clips")
    }
    for number in recording.excerpts.indices { recording.excerpts[number].index.audio = [] }
    let silent = try Self.plan(#"{"clip": "live"}"#, recording)
    #expect(silent.interimSound == InterimSound.none && silent.interimMix == nil)
  }
}
