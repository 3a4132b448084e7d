import Timeline

/// The parameters of a blurred copy of a picture that fills a rectangle. The picture is reduced, blurred at that size,
/// cropped to the visible part, and scaled up.
///
/// If the blur's standard deviation in the reduced picture is at least ``keptSigma`` samples, the reduction loses
/// nothing that the blur would keep.
struct BlurredCopy: Hashable, Sendable {
  /// The minimum standard deviation in the reduced picture, in samples of luma.
  private static let keptSigma = 4.0
  /// The number of samples beyond the visible part that scaling up reads.
  private static let margin = 6

  /// The size that the decoded picture is reduced to.
  let reducedSize: PixelSize
  /// The clean aperture in the reduced picture, with even edges.
  let aperture: PixelBounds
  /// The standard deviation of the blur in the reduced picture, across.
  let sigmaAcross: Double
  /// The standard deviation of the blur in the reduced picture, down.
  let sigmaDown: Double
  /// The part of the reduced picture that is scaled up, with even edges.
  let part: PixelBounds
  /// The transform from the part's pixels to the display size, in which the rectangle is given.
  let map: AffineTransform

  /// Creates the parameters for a backdrop of a stream's pictures.
  init(of space: DisplaySpace, filling rect: PixelRect, sigma: Double) {
    let all = space.all
    let scale = max(rect.width / all.width, rect.height / all.height)
    // The blur in decoded pixels, which may be wider than high.
    let decoded = (across: sigma / scale / space.aspect, down: sigma / scale)
    func reduced(_ side: Int, _ sigma: Double) -> Int {
      let factor = max(sigma / Self.keptSigma, 1)
      return min(max(Int((Double(side) / factor / 2).rounded(.up)) * 2, 16), (side + 1) & ~1)
    }
    reducedSize = PixelSize(
      width: reduced(space.size.width, decoded.across),
      height: reduced(space.size.height, decoded.down))
    let shrink = (
      x: Double(reducedSize.width) / Double(space.size.width),
      y: Double(reducedSize.height) / Double(space.size.height)
    )
    sigmaAcross = decoded.across * shrink.x
    sigmaDown = decoded.down * shrink.y
    aperture = Self.outer(
      PixelRect(
        x: space.aperture.x * shrink.x, y: space.aperture.y * shrink.y,
        width: space.aperture.width * shrink.x, height: space.aperture.height * shrink.y),
      margin: 0,
      within: PixelBounds(
        left: 0, top: 0, right: reducedSize.width, bottom: reducedSize.height))
    // From the reduced picture to display size, and from there to the center of the rectangle.
    let display = AffineTransform(
      a: space.aspect / shrink.x, b: 0, c: 0, d: 1 / shrink.y,
      tx: -space.aperture.x * space.aspect, ty: -space.aperture.y)
    let placed = display.concatenating(
      AffineTransform(
        a: scale, b: 0, c: 0, d: scale, tx: rect.x + (rect.width - all.width * scale) / 2,
        ty: rect.y + (rect.height - all.height * scale) / 2))
    part = Self.outer(
      PixelRect(
        x: (rect.x - placed.tx) / placed.a, y: (rect.y - placed.ty) / placed.d,
        width: rect.width / placed.a, height: rect.height / placed.d), margin: Self.margin,
      within: aperture)
    map = AffineTransform(
      a: placed.a, b: 0, c: 0, d: placed.d, tx: placed.tx + placed.a * Double(part.left),
      ty: placed.ty + placed.d * Double(part.top))
  }

  var size: PixelSize {
    PixelSize(width: part.right - part.left, height: part.bottom - part.top)
  }

  /// The even edges around a rectangle, with a margin.
  private static func outer(
    _ rect: PixelRect, margin: Int, within bounds: PixelBounds
  ) -> PixelBounds {
    func span(_ start: Double, _ length: Double, _ least: Int, _ most: Int) -> (Int, Int) {
      // Overlap that is due only to floating-point rounding is ignored.
      let first = Int((start / 2 + 1e-9).rounded(.down)) * 2 - margin
      let end = Int(((start + length) / 2 - 1e-9).rounded(.up)) * 2 + margin
      let left = min(max(first, least), most - 2)
      return (left, max(min(end, most), left + 2))
    }
    let (left, right) = span(rect.x, rect.width, bounds.left, bounds.right)
    let (top, bottom) = span(rect.y, rect.height, bounds.top, bounds.bottom)
    return PixelBounds(left: left, top: top, right: right, bottom: bottom)
  }
}
