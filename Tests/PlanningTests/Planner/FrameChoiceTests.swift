import Crypto
import Planning
import Support
import Testing
import Timeline

/// Every output frame shows the frame that the rule chooses, which the tests find by exhaustive search.
@Suite(.mayBlock) struct FrameChoiceTests {
  static let rates: [(Int64, Int64)] = [
    (24, 1), (25, 1), (30, 1), (60, 1), (24000, 1001), (30000, 1001),
  ]

  @Test(arguments: rates, rates)
  func `an output shows the right frames of a clip with another rate`(
    source: (Int64, Int64), output: (Int64, Int64)
  )
    throws
  {
    let index = try MediaIndex.clip(
      seconds: RationalTime(8), rate: RationalTime(source.0, source.1),
      start: RationalTime(1_467, 1000))
    try check(
      index, source: TimeRange(start: RationalTime(1, 3), duration: RationalTime(7)),
      target: TimeRange(start: .zero, duration: RationalTime(7)),
      frameDuration: RationalTime(output.1, output.0))
  }

  @Test(arguments: 0..<40)
  func `an output shows the right frames of a clip with a variable rate anywhere on the timeline`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let timeBase = try RationalTime(
      1, [600, 1000, 90_000, 15_360].randomElement(using: &random) ?? 1)
    var (times, tick): ([Int64], Int64) = ([], .random(in: -2000...2000, using: &random))
    for _ in 0..<200 {
      times.append(tick)
      tick += .random(in: 1...Int64(120), using: &random)
    }
    let earlier = try RationalTime(.random(in: 0...300, using: &random), 1000)
    let index = MediaIndex.clip(
      times: times, end: tick, timeBase: timeBase, duration: RationalTime(100),
      keyframeInterval: .random(in: 1...90, using: &random),
      start: try timeBase * times[0] - earlier)
    let duration = try RationalTime(.random(in: 1...2000, using: &random), 97)
    let start = try RationalTime(.random(in: 0...500, using: &random), 89)
    try check(
      index,
      source: TimeRange(
        start: RationalTime(.random(in: 0...3000, using: &random), 101), duration: duration),
      target: TimeRange(start: start, duration: duration),
      frameDuration: RationalTime(
        1001, [24_000, 30_000, 60_000].randomElement(using: &random) ?? 1))
  }

  @Test(arguments: rates, [1000, 600, 90_000] as [Int64])
  func `each frame shows once at its own rate, however coarse a file's times are`(
    rate: (Int64, Int64), ticks: Int64
  ) throws {
    let timeBase = try RationalTime(1, ticks)
    let frameDuration = try RationalTime(rate.1, rate.0)
    // Not at zero, because the time from which all others count is rounded, too.
    for first in 0..<7 as Range<Int64> {
      let times = try (first..<first + 240).map {
        try (frameDuration * $0).ticks(of: timeBase, rounding: .nearest)
      }
      let duration = try frameDuration * 240
      let index = MediaIndex.clip(
        times: times, end: times[239] + 1, timeBase: timeBase, duration: duration,
        rate: try RationalTime(rate.0, rate.1), start: try timeBase * times[0])
      let whole = try TimeRange(start: .zero, duration: duration)
      let plan = try Planned.plan(
        index, source: whole, target: whole, frameDuration: frameDuration)
      #expect(try Planned.shown(plan) == times)
    }
  }

  @Test(arguments: rates + [(60000, 1001)])
  func `each frame is shown once, whichever millisecond a clip begins at`(rate: (Int64, Int64))
    throws
  {
    let timeBase = try RationalTime(1, 1000)
    let frameDuration = try RationalTime(rate.1, rate.0)
    let times = try (0..<200 as Range<Int64>).map {
      try (frameDuration * $0).ticks(of: timeBase, rounding: .nearest)
    }
    let index = MediaIndex.clip(
      times: times, end: times[199] + 1, timeBase: timeBase, duration: try frameDuration * 200,
      rate: try RationalTime(rate.0, rate.1))
    // More than a second of each, so that its frames meet every rounding.
    let length: Int64 = 65
    let segments = try (0..<1000 as Range<Int64>).map { number in
      let duration = try frameDuration * length
      return TrackSegment(
        asset: "clip", trackIndex: 0,
        source: try TimeRange(start: timeBase * number, duration: duration),
        target: try TimeRange(start: duration * number, duration: duration))
    }
    let plan = try Planned.plan(index, segments: segments, frameDuration: frameDuration)
    let places = Dictionary(uniqueKeysWithValues: times.enumerated().map { ($1, $0) })
    let shown = try Planned.shown(plan).map { try #require($0.flatMap { places[$0] }) }
    for number in 0..<1000 {
      let part = shown[number * Int(length)..<(number + 1) * Int(length)]
      let first = try #require(part.first)
      #expect(Array(part) == Array(first..<first + Int(length)), "\(number) ms")
      // The frame that began last, according to the exact instants or to the file's times.
      let exact = try Int(
        (timeBase * Int64(number)).ticks(of: frameDuration, rounding: .down))
      let named = times.lastIndex { $0 <= Int64(number) } ?? 0
      #expect([exact, named].contains(first), "\(number) ms")
    }
  }

  @Test func `a late track shows its first frame, and a short one holds its last`() throws {
    let index = MediaIndex.clip(
      times: [50, 60, 70], end: 80, timeBase: try RationalTime(1, 100), duration: RationalTime(2),
      start: .zero)
    let whole = try TimeRange(start: .zero, duration: RationalTime(2))
    let plan = try Planned.plan(
      index, source: whole, target: whole, frameDuration: RationalTime(1, 10))
    let shown = try Planned.shown(plan)
    #expect(shown == [50, 50, 50, 50, 50, 50, 60] + Array(repeating: 70, count: 13))
  }

  @Test func `a still image shows its one frame`() throws {
    let index = MediaIndex.stillImage(size: PixelSize(width: 640, height: 480))
    let range = try TimeRange(start: .zero, duration: RationalTime(3))
    let plan = try Planned.plan(
      index, source: range, target: range, frameDuration: RationalTime(1, 10))
    #expect(try Planned.shown(plan) == Array(repeating: 0, count: 30))
    #expect(plan.segments.allSatisfy { $0.sources[0].isStillImage })
  }

  private func check(
    _ index: MediaIndex, source: TimeRange, target: TimeRange, frameDuration: RationalTime
  ) throws {
    let plan = try Planned.plan(index, source: source, target: target, frameDuration: frameDuration)
    let stream = index.video[0]
    let instants = try Self.instants(of: stream)
    var expected: [Int64?] = []
    for frame in 0..<plan.frameCount {
      let time = try frameDuration * Int64(frame)
      guard target.contains(time) else {
        expected.append(nil)
        continue
      }
      let wanted = try source.start + (time - target.start) + index.start
      let chosen = instants.lastIndex { $0 <= wanted } ?? 0
      expected.append(stream.frames.times[chosen])
    }
    #expect(try Planned.shown(plan) == expected)
  }

  /// The start of each frame in seconds. If the times of a constant rate are rounded, frames start on the latest grid
  /// of the rate on which none starts after its time.
  private static func instants(of stream: VideoStream) throws -> [RationalTime] {
    let times = try stream.frames.times.map { try stream.timeBase * $0 }
    guard SteadyFrames(stream) != nil, let rate = stream.nominalFrameRate else { return times }
    let step = try RationalTime(1) / rate
    let numbers = try times.map { try ($0 - times[0]).ticks(of: step, rounding: .nearest) }
    let origins = try zip(times, numbers).map { try $0.0 - step * $0.1 }
    let origin = try #require(origins.min())
    return try numbers.map { try origin + step * $0 }
  }
}
