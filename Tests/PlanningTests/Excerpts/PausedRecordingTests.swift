import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Plans of projects that follow a recording whose source is interrupted.
@Suite(.mayBlock) struct PausedRecordingTests {
  @Test(
    arguments: Array(stride(from: 0, to: 3000, by: 120)) as [Int64],
    [#"{"preset": "mediumQuality"}"#, #"{"preset": "automatic"}"#])
  func `pauses of any length change neither the frame rate nor what is finished`(
    ticks: Int64, export: String
  ) throws {
    // 30 frames a second, which is close to another standard rate.
    func index(of frames: Range<Int>, after pauses: Int64) throws -> MediaIndex {
      var index = try ExcerptPlanTests.index(of: frames)
      let shift = pauses * (25 * 3000 + ticks)
      func moved(_ time: Int64) -> Int64 { time / 3600 * 3000 + shift }
      let table = index.video[0].frames
      index.video[0].frames = FrameTable(
        times: table.times.map(moved), end: moved(table.end),
        keyframes: table.keyframes.map {
          FrameTable.Keyframe(
            time: moved($0.time), decodingTime: moved($0.decodingTime), position: -1,
            hasLeadingFrames: false)
        })
      index.video[0].nominalFrameRate = RationalTime(30)
      index.duration = try RationalTime(moved(table.end) - moved(table.times[0]), 90_000)
      return index
    }
    // The second and the third excerpt end their parts.
    let (length, shared) = (ExcerptPlanTests.length, ExcerptPlanTests.interval)
    let excerpts = try (0..<5).map { number in
      let isLast = (1...2).contains(number)
      let first = number * length
      return IndexedExcerpt(
        name: "live from \(number)", asset: try Planned.digest(UInt8(100 + number)),
        byteCount: 1000,
        index: try index(
          of: first..<first + length + (isLast ? 0 : shared), after: [0, 0, 1, 2, 2][number]),
        sharedFrames: isLast ? 0 : shared)
    }
    var earlier: [SegmentContent] = []
    for count in [1, 3, 4, 5] {
      let plan = try ExcerptPlanTests.plan(
        #"{"clip": "live"}"#,
        ExcerptedRecording(excerpts: Array(excerpts[..<count]), isComplete: false),
        export: export)
      let contents = try ExcerptPlanTests.contents(plan)
      #expect(Array(contents.prefix(earlier.count)) == earlier)
      #expect(contents.count > earlier.count)
      #expect(try plan.frameDuration == RationalTime(1, 30))
      earlier = contents
    }
    // The whole recording, with the frames that the last excerpt shares.
    var whole = try index(of: 0..<2 * length, after: 0)
    let rest = [
      try index(of: 2 * length..<3 * length, after: 1),
      try index(of: 3 * length..<5 * length + shared, after: 2),
    ]
    let tables = ([whole] + rest).map { $0.video[0].frames }
    let end = tables[2].end
    whole.video[0].frames = FrameTable(
      times: tables.flatMap(\.times), end: end, keyframes: tables.flatMap(\.keyframes))
    whole.duration = try RationalTime(end, 90_000)
    for number in whole.audio.indices {
      whole.audio[number].end = try whole.duration.ticks(of: whole.audio[number].timeBase)
    }
    let plan = try ExcerptPlanTests.plan(
      #"{"clip": "live"}"#, ExcerptedRecording(excerpts: excerpts, isComplete: true), whole: whole,
      export: export)
    let contents = try ExcerptPlanTests.contents(plan)
    #expect(Array(contents.prefix(earlier.count)) == earlier)
    #expect(try plan.frameDuration == RationalTime(1, 30))
    // Each frame is shown, in order, and repeated only during the pauses.
    var shown: [Int64?] = []
    for time in try Planned.shown(plan) where shown.last != time { shown.append(time) }
    #expect(shown == whole.video[0].frames.times)
  }
}
