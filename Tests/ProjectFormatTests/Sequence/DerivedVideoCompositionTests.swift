import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct DerivedVideoCompositionTests {
  /// The video composition derived from segments that are each on a separate track.
  private func derived(
    _ segments: [(index: MediaIndex, start: Int64, duration: Int64)],
    export: ExportSettings = ExportSettings()
  ) throws -> VideoComposition {
    var (assets, indexes): ([String: Asset], [String: MediaIndex]) = ([:], [:])
    var tracks: [Track] = []
    for (number, segment) in segments.enumerated() {
      assets["\(number)"] = Asset(path: "\(number)")
      indexes["\(number)"] = segment.index
      let length = RationalTime(segment.duration)
      let track = TrackSegment(
        asset: "\(number)", trackIndex: 0, source: try TimeRange(start: .zero, duration: length),
        target: try TimeRange(start: RationalTime(segment.start), duration: length))
      tracks.append(Track(id: number + 1, mediaType: .video, segments: [track]))
    }
    let project = Project(
      assets: assets, composition: Composition(tracks: tracks), export: export)
    return try VideoComposition.derived(from: project, indexes: indexes)
  }

  private func derivedSize(_ index: MediaIndex, preset: String? = nil) throws -> PixelSize {
    try derived([(index, 0, 1)], export: ExportSettings(preset: preset)).renderSize
  }

  @Test(
    arguments: [
      (24, 1, 1, 24), (25, 1, 1, 25), (30, 1, 1, 30), (60, 1, 1, 60), (24000, 1001, 1001, 24000),
      (30000, 1001, 1001, 30000),
    ] as [(Int64, Int64, Int64, Int64)])
  func `the frame duration is the fastest track's`(
    numerator: Int64, denominator: Int64, duration: Int64, scale: Int64
  ) throws {
    let fast = try MediaIndex.clip(
      seconds: RationalTime(4), rate: RationalTime(numerator, denominator))
    let slow = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(12))
    let composition = try derived([(slow, 0, 3), (fast, 2, 3)])
    #expect(composition.frameDuration == (try RationalTime(duration, scale)))
  }

  @Test func `the rate of a stream without a nominal rate is measured`() throws {
    let times = (0..<100).map { Int64($0) * 40 + Int64($0 % 3) }
    let index = MediaIndex.clip(
      times: times, end: 4000, timeBase: try RationalTime(1, 1000), duration: RationalTime(4))
    #expect(try derived([(index, 0, 3)]).frameDuration == RationalTime(1, 25))
  }

  @Test func `a measured rate close to an NTSC rate is that NTSC rate`() throws {
    // In the milliseconds of Matroska, frames at 29.97 frames per second last 33 or 34.
    let times = (0..<300).map { Int64($0) * 1001 / 30 }
    let index = MediaIndex.clip(
      times: times, end: 10_010, timeBase: try RationalTime(1, 1000), duration: RationalTime(10))
    #expect(try derived([(index, 0, 3)]).frameDuration == RationalTime(1001, 30_000))
  }

  @Test func `an implausible nominal rate is replaced by the measured one`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4), rate: RationalTime(25))
    var absurd = index
    absurd.video[0].nominalFrameRate = RationalTime(57600)
    #expect(try derived([(absurd, 0, 3)]).frameDuration == RationalTime(1, 25))
  }

  @Test(
    arguments: [
      (1920, 1080, nil, 1920, 1080), (1920, 1080, "1280x720", 1280, 720),
      (640, 360, "1920x1080", 640, 360), (1080, 1920, "1280x720", 720, 1280),
      (853, 480, nil, 854, 480), (3840, 2160, "640x480", 640, 360),
      (1440, 1080, "960x540", 720, 540),
      (1, 1, nil, 16, 16), (20000, 10000, nil, 16384, 8192),
    ] as [(Int, Int, String?, Int, Int)])
  func `the render size is that of the first picture within the preset`(
    width: Int, height: Int, preset: String?, outputWidth: Int, outputHeight: Int
  ) throws {
    let index = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: width, height: height))
    let size = try derivedSize(index, preset: preset)
    #expect(size == PixelSize(width: outputWidth, height: outputHeight))
  }

  @Test func `the first video determines the size, upright and with square pixels`() throws {
    let still = MediaIndex.stillImage(size: PixelSize(width: 4000, height: 3000))
    let phone = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: 1440, height: 1080),
      orientation: Orientation(quarterTurns: 3, isMirrored: false),
      pixelAspectRatio: RationalTime(4, 3))
    let size = try derived([(still, 0, 2), (phone, 2, 2)]).renderSize
    #expect(size == PixelSize(width: 1080, height: 1920))
  }

  @Test func `a picture of the output's size is not changed`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4))
    let layers = try derived([(index, 0, 4)]).instructions.flatMap(\.layers)
    #expect(layers == [LayerInstruction(track: 1)])
  }

  @Test(arguments: 0..<4, [false, true])
  func `an oriented picture fills the output upright`(turns: Int, isMirrored: Bool) throws {
    let orientation = Orientation(quarterTurns: turns, isMirrored: isMirrored)
    let index = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: 640, height: 480), orientation: orientation)
    let composition = try derived([(index, 0, 4)])
    let transform =
      composition.instructions[0].layers[0].transform.value(at: .zero) ?? .identity
    // The positions where a viewer sees the stored top-left and top-right corners.
    let (w, h) = (Double(composition.renderSize.width), Double(composition.renderSize.height))
    let all: [[(Double, Double)]] = [
      [(0, 0), (w, 0)], [(w, 0), (w, h)], [(w, h), (0, h)], [(0, h), (0, 0)],
    ]
    let corners = all[turns]
    let expected = isMirrored ? [corners[1], corners[0]] : corners
    for (x, place) in zip([0.0, 640.0], expected) {
      #expect(transform.a * x + transform.tx == place.0)
      #expect(transform.b * x + transform.ty == place.1)
    }
  }

  @Test func `portrait is fitted into landscape, centered on even pixels`() throws {
    let landscape = try MediaIndex.clip(seconds: RationalTime(4))
    let portrait = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: 1080, height: 1920))
    let composition = try derived([(landscape, 0, 4), (portrait, 4, 4)])
    let transform = try #require(
      composition.instructions[1].layers[0].transform.value(at: RationalTime(5)))
    // 1080 × 1080/1920 = 607.5; the nearest even number is 608. (1920 − 608) / 2 = 656.
    #expect(transform.a == 608.0 / 1080)
    #expect(transform.d == 1080.0 / 1920)
    #expect(transform.tx == 656)
    #expect(transform.ty == 0)
  }

  @Test func `overlapping segments dissolve, and gaps show the background`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(4))
    let composition = try derived([(index, 1, 4), (index, 4, 4)])
    let ranges = composition.instructions.map { [$0.timeRange.start, $0.timeRange.end] }
    #expect(ranges == [[0, 1], [1, 4], [4, 5], [5, 8]].map { $0.map { RationalTime($0) } })
    let fade = composition.instructions[2].timeRange
    #expect(
      composition.instructions.map(\.layers) == [
        [], [LayerInstruction(track: 1)],
        [
          LayerInstruction(track: 1, opacity: Ramps([.ramp(timeRange: fade, from: 1, to: 0)])),
          LayerInstruction(track: 2),
        ], [LayerInstruction(track: 2)],
      ])
  }

  @Test func `a segment within another one is stacked by track order`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(8))
    let composition = try derived([(index, 2, 2), (index, 0, 8)])
    #expect(
      composition.instructions.map(\.layers) == [
        [LayerInstruction(track: 2)], [LayerInstruction(track: 1), LayerInstruction(track: 2)],
        [LayerInstruction(track: 2)],
      ])
  }
}
