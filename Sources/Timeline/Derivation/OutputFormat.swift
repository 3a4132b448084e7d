/// The output's size and rate, derived from what the video tracks show.
struct OutputFormat: Hashable, Sendable {
  /// The output's size in pixels.
  let renderSize: PixelSize
  /// The length of one output frame, in seconds.
  let frameDuration: RationalTime

  /// A stream on show.
  struct Shown {
    /// The stream.
    let stream: VideoStream
    /// Whether it is a still image.
    let isStillImage: Bool
    /// How its pictures are turned upright.
    let picture: UprightPicture
  }

  /// The format for streams in the order in which they come on show.
  ///
  /// The size is the natural size where one is given; else that of the first picture that moves, upright, and that of the
  /// first still image where none moves; all within the preset's bounds. The rate is that of the fastest stream, 30 frames
  /// a second where none says one.
  init(streams: [Shown], naturalSize: NaturalSize? = nil, preset: ExportPreset) {
    let first = (streams.first { !$0.isStillImage } ?? streams.first)?.picture
    renderSize = Self.renderSize(
      for: naturalSize ?? first.map { NaturalSize(width: $0.width, height: $0.height) }
        ?? NaturalSize(width: 1920, height: 1080),
      preset: preset)
    frameDuration =
      streams.filter { !$0.isStillImage }.compactMap { Self.frameDuration(of: $0.stream) }.min()
      ?? RenderLimits.usualFrameDuration
  }

  private static func renderSize(for bounds: NaturalSize, preset: ExportPreset) -> PixelSize {
    let least = Double(RenderLimits.sides.lowerBound)
    let limit = Double(RenderLimits.sides.upperBound)
    let box = preset.bounds(forPortrait: bounds.height > bounds.width)
    let (width, height) = (
      box.map { Double($0.width) } ?? limit, box.map { Double($0.height) } ?? limit
    )
    let scale = min(1, width / bounds.width, height / bounds.height)
    return PixelSize(
      width: Int(max(min(Placement.even(bounds.width * scale), width), least)),
      height: Int(max(min(Placement.even(bounds.height * scale), height), least)))
  }

  /// One frame of a stream by its nominal rate, or by its frames where that is missing or beyond belief.
  private static func frameDuration(of stream: VideoStream) -> RationalTime? {
    let rates = RationalTime(1)...RationalTime(240)
    func duration(_ rate: RationalTime) -> RationalTime? {
      guard rates.contains(rate), rate.numerator <= Int32.max, rate.denominator <= Int32.max else {
        return nil
      }
      return try? RationalTime(rate.denominator, rate.numerator)
    }
    if let rate = stream.nominalFrameRate, let duration = duration(rate) { return duration }
    guard let first = stream.frames.times.first,
      let length = try? stream.timeBase * (stream.frames.end - first),
      let rate = try? RationalTime(Int64(stream.frames.times.count)) / length
    else { return nil }
    // An average has no meaning finer than a thousandth of a frame a second.
    return (try? rate.ticks(of: .reciprocal(1000), rounding: .nearest))
      .flatMap(Self.rate(ofThousandths:)).flatMap(duration)
  }

  /// A rate measured in thousandths of a frame a second: one of NTSC's where it looks like one, else as it is.
  private static func rate(ofThousandths measured: Int64) -> RationalTime? {
    let broadcast = [24, 30, 48, 60, 120].compactMap { try? RationalTime($0 * 1000, 1001) }
    return broadcast.first {
      (try? $0.ticks(of: .reciprocal(1000), rounding: .nearest)) == measured
    } ?? (try? RationalTime(measured, 1000))
  }
}
