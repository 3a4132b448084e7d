import Timeline

/// A transform that maps axes to axes, split into an orientation and a map of rectangles.
struct Axes {
  /// The largest absolute value that counts as 0, because sines of quarter turns are not exact in floating point.
  private static let tolerance = 1e-9

  /// How the picture is turned.
  let orientation: PlaneOrientation
  private let transform: AffineTransform

  /// Returns `nil` for shears, and for rotations by anything but quarter turns.
  init?(_ transform: AffineTransform) {
    func isZero(_ number: Double) -> Bool { abs(number) < Self.tolerance }
    self.transform = transform
    if isZero(transform.b) && isZero(transform.c) {
      orientation = PlaneOrientation(
        transposes: false, mirrorsColumns: transform.a < 0, mirrorsRows: transform.d < 0)
    } else if isZero(transform.a) && isZero(transform.d) {
      orientation = PlaneOrientation(
        transposes: true, mirrorsColumns: transform.c < 0, mirrorsRows: transform.b < 0)
    } else {
      return nil
    }
  }

  /// The rectangle that a rectangle is mapped to.
  func map(_ rect: PixelRect) -> PixelRect {
    func span(_ scale: Double, _ start: Double, _ length: Double, _ shift: Double) -> (
      Double, Double
    ) {
      let ends = (scale * start + shift, scale * (start + length) + shift)
      return (min(ends.0, ends.1), abs(scale * length))
    }
    let x: (Double, Double)
    let y: (Double, Double)
    if orientation.transposes {
      x = span(transform.c, rect.y, rect.height, transform.tx)
      y = span(transform.b, rect.x, rect.width, transform.ty)
    } else {
      x = span(transform.a, rect.x, rect.width, transform.tx)
      y = span(transform.d, rect.y, rect.height, transform.ty)
    }
    return PixelRect(x: x.0, y: y.0, width: x.1, height: y.1)
  }
}
