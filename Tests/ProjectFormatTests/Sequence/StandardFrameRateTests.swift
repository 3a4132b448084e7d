import ProjectFormat
import Support
import Testing
import Timeline

/// The frame rates that are derived for outputs.
@Suite(.mayBlock) struct StandardFrameRateTests {
  /// The frame rate derived for an output that shows a stream.
  private func rate(_ index: MediaIndex, preset: String? = nil) throws -> RationalTime {
    let sequence = ClipSequence(
      items: [.clip(SequenceClip(path: "a"))], export: ExportSettings(preset: preset))
    let project = try sequence.expanded(indexes: ["a": index])
    return try RationalTime(1) / #require(project.videoComposition).frameDuration
  }

  private func index(seconds times: [RationalTime], ticks: Int64 = 90_000) throws -> MediaIndex {
    let timeBase = try RationalTime(1, ticks)
    let all = try times.map { try $0.ticks(of: timeBase, rounding: .nearest) }
    let end = try #require(all.last) + ticks / 30
    return MediaIndex.clip(
      times: all, end: end, timeBase: timeBase, duration: try timeBase * (end - all[0]))
  }

  @Test(
    arguments: [
      ("10", "24000/1001"), ("25/2", "24000/1001"), ("8797/1000", "24000/1001"),
      ("15", "24000/1001"),
      ("24", "24"), ("25", "25"), ("179/6", "30000/1001"), ("30", "30"), ("31", "48"), ("48", "48"),
      ("50", "50"), ("60000/1001", "60000/1001"), ("60", "60"), ("90", "120"), ("120", "120"),
      ("240", "120"),
    ])
  func `a constant rate becomes the lowest standard one that shows every frame`(
    own: String, standard: String
  ) throws {
    // Ten minutes are long enough to distinguish neighboring rates.
    let step = try RationalTime(1) / RationalTime(own)
    let count = try RationalTime(600).ticks(of: step)
    let times = (0..<count).map { $0 * step.numerator }
    let timeBase = try RationalTime(1, step.denominator)
    let index = MediaIndex.clip(
      times: times, end: count * step.numerator, timeBase: timeBase,
      duration: try step * count)
    #expect(try rate(index) == RationalTime(standard))
  }

  @Test(arguments: ["24", "25", "30000/1001", "30", "50", "60"], 0..<5 as Range<UInt64>)
  func `times that jitter around a standard rate by less than half a frame have that rate`(
    standard: String, seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let frame = try RationalTime(1) / RationalTime(standard)
    let times = try (0..<3000 as Range<Int64>).map { number in
      // Up to 45 hundredths of a frame early or late, with one in forty frames missing.
      try frame * (number + number / 40)
        + frame * RationalTime(.random(in: 5...95, using: &random), 100)
    }
    let index = try index(seconds: times)
    #expect(try rate(index) == RationalTime(standard))
    let steady = try #require(SteadyFrames(index.video[0]))
    #expect(steady.numbers == (0..<3000).map { $0 + $0 / 40 })
  }

  @Test func `a rate slightly above a standard one counts as that until a frame is lost`() throws {
    // 90000 / 2999 = 30.01 frames per second drifts by half a frame in 50 s.
    func drifting(_ count: Int64) -> MediaIndex {
      MediaIndex.clip(
        times: (0..<count).map { $0 * 2999 }, end: count * 2999, timeBase: .tick,
        duration: (try? RationalTime.tick * (count * 2999)) ?? .zero)
    }
    #expect(try rate(drifting(900)) == RationalTime(30))
    #expect(try rate(drifting(9000)) == RationalTime(48))
  }

  @Test func `a variable rate becomes the standard rate that shows its shortest frame`() throws {
    var (tick, times) = (Int64(0), [Int64]())
    // Frames of 1/47 to 1/3 s.
    for number in 0..<200 as Range<Int64> {
      times.append(tick)
      tick += 1915 + number * 7919 % 28_000
    }
    let index = MediaIndex.clip(
      times: times, end: tick, timeBase: .tick, duration: try RationalTime.tick * tick)
    #expect(try rate(index) == RationalTime(48))
  }

  @Test func `screen recordings on a grid have the rate of the grid`() throws {
    let steps: [Int64] = [1, 4, 3, 2, 5]
    let times = try (0..<400 as Range<Int64>).map { number in
      try RationalTime(number / 5 * 15 + steps.prefix(Int(number % 5)).reduce(0, +), 30)
    }
    #expect(try rate(index(seconds: times, ticks: 1000)) == RationalTime(30))
  }

  @Test func `frames that are too close for any standard rate use the highest rate`() throws {
    let times: [Int64] = [0, 3000, 3100, 9000, 20_000, 20_050, 40_000]
    let index = MediaIndex.clip(
      times: times, end: 43_000, timeBase: .tick, duration: try RationalTime(43, 90))
    #expect(try rate(index) == RationalTime(120))
  }

  @Test func `copied packets keep their constant rate`() throws {
    let slow = try MediaIndex.clip(seconds: RationalTime(8), rate: RationalTime(25, 2))
    #expect(try rate(slow, preset: "passthrough") == RationalTime(25, 2))
    #expect(try rate(slow) == RationalTime(24_000, 1001))
  }

  @Test func `the rate and size of a sequence take precedence`() throws {
    let sequence = ClipSequence(
      items: [.clip(SequenceClip(path: "a"))], renderSize: PixelSize(width: 320, height: 180),
      frameRate: RationalTime(15))
    let index = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(60))
    let video = try #require(sequence.expanded(indexes: ["a": index]).videoComposition)
    #expect(video.frameDuration == (try RationalTime(1, 15)))
    #expect(video.renderSize == PixelSize(width: 320, height: 180))
    // 1920 × 1080 into 320 × 180.
    #expect(video.instructions[0].layers[0].transform.value(at: .zero)?.a == 1.0 / 6)
  }

  @Test(
    arguments: [
      (["portrait", "landscape"], "1920x1080", 1920, 1080),
      (["portrait", "landscape"], "640x480", 640, 480),
      (["portrait", "portrait"], "1920x1080", 360, 640),
      (["landscape", "portrait"], "1920x1080", 1280, 720),
      (["portrait", "landscape"], nil, 360, 640),
      (["portrait", "photo", "photo"], "1920x1080", 1920, 1080),
      (["photo", "portrait"], "1920x1080", 1920, 1080),
      (["portrait", "poster"], "1920x1080", 360, 640),
      (["poster", "photo"], "1920x1080", 1920, 1080),
      (["portrait", "photo"], nil, 360, 640),
    ] as [([String], String?, Int, Int)])
  func `a portrait first clip does not rotate the preset if other clips are not portrait`(
    shapes: [String], preset: String?, width: Int, height: Int
  ) throws {
    let indexes = [
      "portrait": try MediaIndex.clip(
        seconds: RationalTime(2), size: PixelSize(width: 640, height: 360),
        orientation: Orientation(quarterTurns: 1, isMirrored: false)),
      "landscape": try MediaIndex.clip(
        seconds: RationalTime(2), size: PixelSize(width: 1280, height: 720)),
      "photo": MediaIndex.stillImage(size: PixelSize(width: 4000, height: 3000)),
      "poster": MediaIndex.stillImage(size: PixelSize(width: 3000, height: 4000)),
    ]
    let sequence = ClipSequence(
      items: shapes.map { .clip(SequenceClip(path: $0, duration: RationalTime(1))) },
      export: ExportSettings(preset: preset))
    let size = try sequence.expanded(indexes: indexes).videoComposition?.renderSize
    #expect(size == PixelSize(width: width, height: height))
  }
}

extension RationalTime {
  /// One tick of a transport stream.
  fileprivate static let tick = (try? RationalTime(1, 90_000)) ?? .zero
}
