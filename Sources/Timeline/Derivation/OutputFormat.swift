/// The output's size and frame rate, derived from the media on the video tracks.
package struct OutputFormat: Hashable, Sendable {
  /// The output's size in pixels.
  package let renderSize: PixelSize
  /// The frame duration of the output, in seconds.
  package let frameDuration: RationalTime

  /// A video stream that the project shows.
  package struct Shown {
    let stream: VideoStream
    let isStillImage: Bool
    /// The geometry of its upright pictures.
    package let picture: UprightPicture

    package init(stream: VideoStream, isStillImage: Bool, picture: UprightPicture) {
      (self.stream, self.isStillImage, self.picture) = (stream, isStillImage, picture)
    }
  }

  /// Derives the format from streams in the order in which they are first shown.
  ///
  /// The size is the one that is asked for, or else the natural size, or else that of the first video (of the first
  /// still image if there is no video), upright and within the preset's bounds. If that picture is portrait and any
  /// other one is not, the size is the preset's. The rate is the one that is asked for, or else the lowest standard
  /// rate that shows every frame of every stream, or 30 frames per second without streams.
  ///
  /// - Parameter asked: The size and rate that the project sets, or those of a format that the output continues.
  package init(
    streams: [Shown], naturalSize: NaturalSize? = nil, asked: AskedFormat = AskedFormat(),
    preset: ExportPreset
  ) {
    let moving = streams.filter { !$0.isStillImage }
    let first = (moving.first ?? streams.first)?.picture
    renderSize =
      asked.renderSize
      ?? Self.mixedSize(of: streams, first: first, naturalSize: naturalSize, preset: preset)
      ?? Self.renderSize(
        for: naturalSize ?? first.map(NaturalSize.init(of:))
          ?? NaturalSize(width: 1920, height: 1080),
        preset: preset)
    frameDuration =
      asked.frameDuration ?? Self.frameDuration(showing: moving.map(\.stream), preset: preset)
  }

  /// The preset's size, if the first picture is portrait and another one is not.
  private static func mixedSize(
    of streams: [Shown], first: UprightPicture?, naturalSize: NaturalSize?,
    preset: ExportPreset
  ) -> PixelSize? {
    guard naturalSize == nil, let first, first.height > first.width,
      streams.contains(where: { $0.picture.height <= $0.picture.width })
    else { return nil }
    return preset.bounds
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
      width: Int(max(min(even(bounds.width * scale), width), least)),
      height: Int(max(min(even(bounds.height * scale), height), least)))
  }

  /// The nearest even number, at least 2.
  package static func even(_ length: Double) -> Double { max((length / 2).rounded() * 2, 2) }

  /// The frame duration. It is that of a standard rate unless packets are copied, because copied packets are shown once
  /// each only at their own rate.
  private static func frameDuration(
    showing streams: [VideoStream], preset: ExportPreset
  ) -> RationalTime {
    let rhythms = streams.compactMap(FrameRhythm.init(of:))
    let rate =
      (preset == .passthrough ? ownRate(of: rhythms) : nil)
      ?? StandardFrameRates.rate(showing: rhythms)
    return rate.flatMap { try? RationalTime(1) / $0 } ?? RenderLimits.usualFrameDuration
  }

  /// The highest constant rate, if it is valid for an output; `nil` if a rate varies.
  private static func ownRate(of rhythms: [FrameRhythm]) -> RationalTime? {
    var highest: RationalTime?
    for rhythm in rhythms {
      guard case .steady(let rate) = rhythm, RenderLimits.frameRates.contains(rate) else {
        return nil
      }
      highest = max(highest ?? rate, rate)
    }
    return highest
  }
}

extension NaturalSize {
  fileprivate init(of picture: UprightPicture) {
    self.init(width: picture.width, height: picture.height)
  }
}
