import Capture
import Support
import Testing

/// The choice of a size and a format from what a device offers.
@Suite(.mayBlock) struct VideoOfferTests {
  private static let camera = [
    offer("YUYV", .raw(.yuyv422), (320, 240), (640, 480), (1280, 720)),
    offer("MJPG", .jpeg, (640, 480), (1280, 720), (1920, 1080)),
  ]

  private static func offer(
    _ format: StaticString, _ coding: CapturedVideoFormat.Coding, _ sizes: (Int, Int)...
  ) -> VideoOffer {
    VideoOffer(
      PixelFormat(format), coding,
      sizes: sizes.map { VideoSizes(.init($0.0, $0.0), .init($0.1, $0.1)) })
  }

  @Test(
    arguments: [
      (nil, nil, 640, 480), (1280, 720, 1280, 720), (1300, 800, 1280, 720),
      (4096, 2160, 1920, 1080), (160, 120, 320, 240), (1920, nil, 1280, 720), (nil, 240, 320, 240),
    ] as [(Int?, Int?, Int, Int)])
  func `the size is the nearest without a larger area`(
    width: Int?, height: Int?, chosenWidth: Int, chosenHeight: Int
  ) {
    // With a width alone, the height keeps the aspect ratio of the current size. 1920x1440 is nearest to 1920x1080.
    let request = VideoCaptureRequest(width: width, height: height)
    let offers = width == 1920 && height == nil ? [Self.camera[0]] : Self.camera
    #expect(
      offers.size(for: request, current: PictureSize(640, 480))
        == PictureSize(chosenWidth, chosenHeight))
  }

  @Test(arguments: [
    (1000, 601, 992, 600), (10, 10, 64, 48), (5000, 5000, 2048, 1200), (64, 48, 64, 48),
  ])
  func `a size of a range is a step of it`(
    width: Int, height: Int, chosenWidth: Int, chosenHeight: Int
  ) {
    let range = VideoSizes(.init(64, 2048, by: 32), .init(48, 1200, by: 4))
    let offers = [VideoOffer(PixelFormat("NV12"), .raw(.nv12), sizes: [range])]
    let size = offers.size(
      for: VideoCaptureRequest(width: width, height: height), current: PictureSize(64, 48))
    #expect(size == PictureSize(chosenWidth, chosenHeight))
    #expect(offers[0].has(size))
  }

  @Test func `a driver that lists no sizes decides about the requested one`() {
    let offers = [VideoOffer(PixelFormat("NV12"), .raw(.nv12), sizes: [])]
    let size = PictureSize(1234, 567)
    #expect(
      offers.size(for: .init(width: 1234, height: 567), current: PictureSize(64, 48)) == size)
    #expect(offers[0].has(size))
  }

  /// Intervals that are one frame rate each.
  private static func rates(_ rates: [(UInt32, UInt32)]) -> [FrameIntervals] {
    rates.compactMap { Fraction($0.1, $0.0) }.map { FrameIntervals($0, $0) }
  }

  @Test(
    arguments: [
      // The rates of YUYV, those of MJPG, and the limit.
      ([(10, 1)], [(30, 1)], Fraction(60), "MJPG", Fraction(30)),
      ([(30, 1)], [(30, 1)], Fraction(60), "YUYV", Fraction(30)),
      ([(30, 1)], [(30_000_000, 999_999)], Fraction(60), "YUYV", Fraction(30)),
      ([(30, 1)], [(60, 1), (120, 1)], Fraction(30), "YUYV", Fraction(30)),
      ([(15, 1)], [(60, 1), (120, 1)], Fraction(60), "MJPG", Fraction(60)),
      ([(30, 1)], [(15, 1)], Fraction(30000, 1001), "YUYV", Fraction(30)),
      ([(50, 1)], [(60, 1)], Fraction(25), "YUYV", Fraction(50)),
      ([], [(5, 1)], Fraction(60), "MJPG", Fraction(5)),
      ([], [], Fraction(60), "YUYV", nil),
    ] as [([(UInt32, UInt32)], [(UInt32, UInt32)], Fraction?, String, Fraction?)])
  func `the format is the one with the highest frame rate up to the limit`(
    yuyv: [(UInt32, UInt32)], mjpg: [(UInt32, UInt32)], limit: Fraction?, format: String,
    rate: Fraction?
  ) throws {
    let best = Self.camera.best(upTo: try #require(limit)) {
      Self.rates($0.coding == .jpeg ? mjpg : yuyv)
    }
    #expect(best?.offer.pixelFormat.description == format)
    #expect(best?.rate == rate)
  }

  @Test func `H.264 is preferred to pictures without compression, and these to JPEG`() {
    let offers = [
      Self.offer("MJPG", .jpeg), Self.offer("RGB3", .raw(.rgb24)), Self.offer("NV12", .raw(.nv12)),
      Self.offer("H264", .h264),
    ]
    let chosen = (0..<4).map { offers.dropLast($0) }.map { offers in
      Array(offers).best(upTo: Fraction(60), intervals: { _ in [] })?.offer.coding
    }
    #expect(chosen == [.h264, .raw(.nv12), .raw(.rgb24), .jpeg])
  }

  @Test func `a range of intervals has every frame rate in it`() throws {
    let range = FrameIntervals(
      try #require(Fraction(1, 100)), try #require(Fraction(1, 5)))
    #expect(range.rate(upTo: Fraction(60)) == Fraction(60))
    #expect(range.rate(upTo: Fraction(200)) == Fraction(100))
    #expect(range.rate(upTo: Fraction(1)) == Fraction(5))
  }

  @Test(
    arguments: [
      // 1080p60, 1080i60 and 1080p59.94, and numbers that are too large.
      (2200 * 1125, 148_500_000, 1, 60), (2200 * 1125, 74_250_000, 1, 30),
      (2200 * 1125, 148_351_648, 309_375, 18_543_956), (1 << 40, 1 << 41, 1, 2),
    ] as [(UInt64, UInt64, UInt32, UInt32)])
  func `the interval of a signal is that of its pixels`(
    pixels: UInt64, clock: UInt64, numerator: UInt32, denominator: UInt32
  ) {
    #expect(Fraction(reducing: pixels, by: clock) == Fraction(numerator, denominator))
  }

  @Test func `a fraction of 0 or of large numbers is not accepted or is rounded`() throws {
    #expect(Fraction(reducing: 0, by: 1) == nil)
    #expect(Fraction(reducing: 1, by: 0) == nil)
    let rounded = try #require(Fraction(reducing: 1 << 40 | 1, by: 1 << 41))
    #expect(rounded == Fraction(1, 2))
  }
}
