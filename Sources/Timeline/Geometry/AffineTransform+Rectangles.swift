extension AffineTransform {
  /// A shift, in pixels.
  package static func translation(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// A scaling about the origin.
  package static func scaling(x: Double, y: Double) -> AffineTransform {
    AffineTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// The image of a rectangle. The transform must map axes onto axes.
  package func image(of rect: PixelRect) -> PixelRect {
    let corners = [
      (rect.x, rect.y), (rect.x + rect.width, rect.y + rect.height),
    ].map { x, y in (x: a * x + c * y + tx, y: b * x + d * y + ty) }
    return PixelRect(spanning: corners[0], corners[1])
  }

  /// The rectangle whose image is `rect`. The transform must map axes onto axes, with scales other than 0.
  package func preimage(of rect: PixelRect) -> PixelRect {
    let corners = [
      (rect.x, rect.y), (rect.x + rect.width, rect.y + rect.height),
    ].map { x, y in
      b == 0 && c == 0
        ? (x: (x - tx) / a, y: (y - ty) / d) : (x: (y - ty) / b, y: (x - tx) / c)
    }
    return PixelRect(spanning: corners[0], corners[1])
  }
}

extension PixelRect {
  fileprivate init(spanning one: (x: Double, y: Double), _ other: (x: Double, y: Double)) {
    self.init(
      x: min(one.x, other.x), y: min(one.y, other.y), width: abs(other.x - one.x),
      height: abs(other.y - one.y))
  }

  /// Whether every point of `other` lies in this rectangle.
  package func covers(_ other: PixelRect) -> Bool {
    x <= other.x && y <= other.y && x + width >= other.x + other.width
      && y + height >= other.y + other.height
  }
}
