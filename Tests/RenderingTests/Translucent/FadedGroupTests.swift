import Planning
import Rendering
import Support
import Testing
import Timeline

/// A group fades as one: parts of layers that other layers hide stay hidden.
@Suite(.mayBlock) struct FadedGroupTests {
  private let clip: OverlaidClip
  private static let (luma, cb, cr) = OverlaidClip.code
  private static let red = Color(red: 220, green: 30, blue: 20)
  private static let blue = Color(red: 10, green: 60, blue: 230)

  init() throws { clip = try OverlaidClip() }

  /// A picture with one pixel.
  private func picture(_ color: Color) throws -> String {
    try clip.picture("\(color)".replacing("#", with: "0x"))
  }

  private static func layer(_ rect: PixelRect, source: Int, opacity: Double = 1, count: Int = 1)
    -> LayerSlice
  {
    var layer = LayerSlice(
      source: source, frames: [FrameRun(time: 0, step: 0, count: count)],
      opacity: Ramps([.step(at: .zero, value: opacity)]),
      transform: Ramps([
        .step(
          at: .zero,
          value: AffineTransform(
            a: rect.width, b: 0, c: 0, d: rect.height, tx: rect.x, ty: rect.y))
      ]), crop: Ramps())
    layer.isSmooth = true
    return layer
  }

  private static func group(_ layers: [LayerSlice], opacity: Ramps<Double>, count: Int = 1)
    -> LayerSlice
  {
    var group = LayerSlice(
      source: LayerSlice.compositedGroup, frames: [FrameRun(time: 0, step: 0, count: count)],
      opacity: opacity, transform: Ramps(), crop: Ramps())
    group.sublayers = layers
    return group
  }

  private static func half(_ opacity: Double = 0.5) -> Ramps<Double> {
    Ramps([.step(at: .zero, value: opacity)])
  }

  /// The code values of a color before rounding.
  private static func code(_ color: Color) -> (luma: Double, cb: Double, cr: Double) {
    let (red, green, blue) = (
      Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255
    )
    let (kr, kb) = (0.299, 0.114)
    let value = kr * red + (1 - kr - kb) * green + kb * blue
    return (
      16 + 219 * value, 128 + 112 * (blue - value) / (1 - kb), 128 + 112 * (red - value) / (1 - kr)
    )
  }

  private static let lower = PixelRect(x: 10, y: 10, width: 40, height: 30)
  private static let upper = PixelRect(x: 30, y: 20, width: 40, height: 30)

  private static func holds(_ rect: PixelRect, _ x: Int, _ y: Int) -> Bool {
    let (left, top) = (Double(x) - rect.x, Double(y) - rect.y)
    return left >= 0 && top >= 0 && left < rect.width && top < rect.height
  }

  /// Whether every pixel is within one code value of red beneath translucent blue, both at the given opacity.
  private static func isRight(
    _ frame: DecodedFrame, opacity: Double, alpha: Double = 1,
    over below: (luma: Double, cb: Double, cr: Double) = (luma, cb, cr)
  ) -> Bool {
    let (red, blue) = (code(red), code(blue))
    func wanted(
      _ x: Int, _ y: Int, _ plane: KeyPath<(luma: Double, cb: Double, cr: Double), Double>
    )
      -> Double
    {
      let isLower = holds(lower, x, y)
      let (upperAlpha, lowerAlpha) = (holds(upper, x, y) ? alpha : 0, isLower ? 1.0 : 0)
      let own = upperAlpha + lowerAlpha * (1 - upperAlpha)
      let colors =
        blue[keyPath: plane] * upperAlpha
        + red[keyPath: plane] * lowerAlpha * (1 - upperAlpha)
      return colors * opacity + below[keyPath: plane] * (1 - own * opacity)
    }
    for y in 0..<64 {
      for x in 0..<96 {
        guard abs(Double(frame.row(y)[x]) - wanted(x, y, \.luma)) <= 1 else { return false }
        let chroma = y / 2 * 48 + x / 2
        guard abs(Double(frame.cb[chroma]) - wanted(x, y, \.cb)) <= 1,
          abs(Double(frame.cr[chroma]) - wanted(x, y, \.cr)) <= 1
        else { return false }
      }
    }
    return true
  }

  @Test(arguments: [0.25, 0.5, 0.9])
  func `layers of a faded group do not show through one another`(opacity: Double) throws {
    let layers = [Self.layer(Self.upper, source: 2), Self.layer(Self.lower, source: 1)]
    let frame = try clip.frames(
      [Self.group(layers, opacity: Self.half(opacity))],
      sources: [picture(Self.red), picture(Self.blue)])[0]
    #expect(Self.isRight(frame, opacity: opacity))
  }

  @Test func `a translucent layer shows what lies below it in its group`() throws {
    let layers = [
      Self.layer(Self.upper, source: 2, opacity: 0.5), Self.layer(Self.lower, source: 1),
    ]
    let frame = try clip.frames(
      [Self.group(layers, opacity: Self.half())],
      sources: [picture(Self.red), picture(Self.blue)])[0]
    #expect(Self.isRight(frame, opacity: 0.5, alpha: 0.5))
  }

  @Test func `a group in a group fades with both`() throws {
    let inner = Self.group(
      [Self.layer(Self.upper, source: 2), Self.layer(Self.lower, source: 1)], opacity: Self.half())
    let frame = try clip.frames(
      [Self.group([inner], opacity: Self.half())],
      sources: [picture(Self.red), picture(Self.blue)])[0]
    #expect(Self.isRight(frame, opacity: 0.25))
  }

  @Test func `every frame of a group's fade is right`() throws {
    let fade = Ramps<Double>([
      .ramp(timeRange: try .frames(0, count: 10), from: 0, to: 1)
    ])
    let layers = [
      Self.layer(Self.upper, source: 2, count: 12), Self.layer(Self.lower, source: 1, count: 12),
    ]
    let shown = try clip.frames(
      [Self.group(layers, opacity: fade, count: 12)],
      sources: [picture(Self.red), picture(Self.blue)], count: 12)
    for (number, frame) in shown.enumerated() {
      #expect(
        Self.isRight(frame, opacity: min(Double(number) / 10, 1)), "frame \(number)")
    }
  }

  @Test func `the video in a faded group fades with what lies over it`() throws {
    var video = Self.layer(PixelRect(x: 0, y: 0, width: 1, height: 1), source: -1)
    video.transform = Ramps()
    let layers = [
      Self.layer(Self.upper, source: 2), Self.layer(Self.lower, source: 1), video,
    ]
    let frame = try clip.frames(
      [Self.group(layers, opacity: Self.half())], isOverVideo: false,
      sources: [picture(Self.red), picture(Self.blue)])[0]
    let black = (luma: 16.0, cb: 128.0, cr: 128.0)
    let row = frame.row(5).map(Double.init)
    #expect(row.allSatisfy { abs($0 - (Self.luma + black.luma) / 2) <= 1 })
    let (red, blue) = (Self.code(Self.red), Self.code(Self.blue))
    #expect(abs(Double(frame.row(15)[15]) - (red.luma + black.luma) / 2) <= 1)
    #expect(abs(Double(frame.row(30)[40]) - (blue.luma + black.luma) / 2) <= 1)
  }

  @Test func `a group that contains a layer other than an animation layer is rejected`() throws {
    var layer = Self.layer(Self.lower, source: 1)
    layer.isSmooth = nil
    #expect(throws: RenderingError.self) {
      try clip.frames([Self.group([layer], opacity: Self.half())], sources: [picture(Self.red)])
    }
  }
}
