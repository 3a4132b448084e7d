import Timeline

/// A transform that keeps axes on axes, taken apart: which input axis each output axis follows, and how.
struct Axes {
  /// How far from 0 a number may be to count as 0: sines of quarter turns in floating-point numbers.
  private static let tolerance = 1e-9

  /// How the picture is turned.
  let orientation: PlaneOrientation
  private let transform: AffineTransform

  /// - Throws: ``RenderingError`` with code `notSupportedYet` for rotations by other than quarter turns, and shears.
  init(_ transform: AffineTransform) throws {
    let numbers = [
      transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty,
    ]
    guard numbers.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else {
      throw RenderingError(
        .invalidDescription, "a transform has a number that is not finite or too large: \(numbers)")
    }
    func isZero(_ number: Double) -> Bool { abs(number) < Self.tolerance }
    self.transform = transform
    if isZero(transform.b) && isZero(transform.c) {
      orientation = PlaneOrientation(
        transposes: false, mirrorsColumns: transform.a < 0, mirrorsRows: transform.d < 0)
    } else if isZero(transform.a) && isZero(transform.d) {
      orientation = PlaneOrientation(
        transposes: true, mirrorsColumns: transform.c < 0, mirrorsRows: transform.b < 0)
    } else {
      throw RenderingError(
        .notSupportedYet,
        "the transform \(numbers) rotates by other than quarter turns, or shears: not supported "
          + "yet: use scale, translation, quarter turns and mirrorings")
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
