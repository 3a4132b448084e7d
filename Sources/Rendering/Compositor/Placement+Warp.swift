import Timeline

extension Placement {
  /// The oversampling of a picture that is reduced before it is sampled. With 5/4 of the needed samples, sampling
  /// neither blurs nor aliases.
  private static let oversampling = 1.25
  /// The maximum factor by which a picture is reduced at once, because libswscale's filters have at most 256 taps.
  private static let greatestReduction = 48
  /// The minimum visible area in pixels; a smaller one changes no sample.
  private static let leastArea = 1e-4

  /// Places a picture that is sampled at each pixel of the output; `nil` if no part of it is visible.
  ///
  /// - Parameters:
  ///   - outline: the outline of the picture on an unlimited output.
  ///   - shown: the part of the picture to show.
  init?(
    filling outline: ConvexOutline, with shown: PixelRect, of space: DisplaySpace,
    under transform: AffineTransform, corners: CornerSampling? = nil, canvas: PixelBounds
  ) {
    let visible = outline.clipped(to: canvas)
    guard visible.area > Self.leastArea,
      let coverage = visible.evenBounds?.intersection(canvas), !coverage.isEmpty,
      // A picture that keeps its size is sampled directly.
      let scaledSize = Self.reducedSize(
        of: space, under: corners?.unstretched(transform) ?? transform)
    else { return nil }
    let forward = space.map(from: scaledSize)
    guard let back = forward.inverted,
      let sampling = forward.concatenating(transform).inverted
    else { return nil }
    self.init(
      scaledSize: scaledSize, orientation: .identity, x: coverage.left * 256,
      y: coverage.top * 256, coverage: coverage,
      warp: Warp(
        sampling: sampling, taps: Self.pixels(touchedBy: shown, under: back, of: scaledSize),
        outline: visible, corners: corners?.scaled(from: space.size, to: scaledSize)))
  }

  /// Whether each pixel of the coverage shows nothing but the picture.
  package var isSolid: Bool {
    guard !isTranslucent else { return false }
    guard let warp else { return true }
    let pixels = (coverage.right - coverage.left) * (coverage.bottom - coverage.top)
    // A missing area this small does not change the weight of a pixel, which has steps of 1/16384.
    return warp.outline.area > Double(pixels) - 1e-5
  }

  /// The size to scale the decoded picture to before it is sampled. It is never larger than the picture.
  ///
  /// A side is reduced by the number of its pixels that one step on the output spans.
  private static func reducedSize(
    of space: DisplaySpace, under transform: AffineTransform
  ) -> PixelSize? {
    guard let back = space.map(from: space.size).concatenating(transform).inverted else {
      return nil
    }
    func side(_ length: Int, _ across: Double, _ down: Double) -> Int {
      let step = (across * across + down * down).squareRoot()
      guard step > oversampling else { return length }
      let wanted = Int((Double(length) * oversampling / step / 2).rounded()) * 2
      return min(max(wanted, (length / greatestReduction + 1) & ~1, 2), length)
    }
    return PixelSize(
      width: side(space.size.width, back.a, back.c),
      height: side(space.size.height, back.b, back.d))
  }

  /// The pixels of the scaled picture that a rectangle touches. Its edges are rounded to 1/4096 of a pixel.
  private static func pixels(
    touchedBy rect: PixelRect, under back: AffineTransform, of size: PixelSize
  ) -> PixelBounds {
    func span(_ start: Double, _ length: Double, _ scale: Double, _ shift: Double, _ side: Int)
      -> (Int, Int)
    {
      func snapped(_ edge: Double) -> Double { (edge * 4096).rounded() / 4096 }
      let first = Int(snapped(start * scale + shift).rounded(.down))
      let end = Int(snapped((start + length) * scale + shift).rounded(.up))
      let left = min(max(first, 0), side - 1)
      return (left, min(max(end, left + 1), side))
    }
    let (left, right) = span(rect.x, rect.width, back.a, back.tx, size.width)
    let (top, bottom) = span(rect.y, rect.height, back.d, back.ty, size.height)
    return PixelBounds(left: left, top: top, right: right, bottom: bottom)
  }
}
