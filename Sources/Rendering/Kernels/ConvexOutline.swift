import Timeline

/// A corner of an outline, in pixels of the output.
package struct OutlinePoint: Hashable, Sendable {
  /// The distance from the left edge.
  package var x: Double
  /// The distance from the top edge.
  package var y: Double

  package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A convex polygon on the output.
package struct ConvexOutline: Hashable, Sendable {
  /// The corners in order, clockwise or counterclockwise.
  package private(set) var points: [OutlinePoint]

  package init(_ rect: PixelRect, under transform: AffineTransform) {
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
    points = [(rect.x, rect.y), (right, rect.y), (right, bottom), (rect.x, bottom)].map { x, y in
      OutlinePoint(
        x: transform.a * x + transform.c * y + transform.tx,
        y: transform.b * x + transform.d * y + transform.ty)
    }
  }

  package init(_ bounds: PixelBounds) {
    let (left, top) = (Double(bounds.left), Double(bounds.top))
    let (right, bottom) = (Double(bounds.right), Double(bounds.bottom))
    points = [(left, top), (right, top), (right, bottom), (left, bottom)].map {
      OutlinePoint(x: $0.0, y: $0.1)
    }
  }

  /// The part inside `bounds`; it has no points if there is no such part.
  ///
  /// The sides of the bounds clip the outline one by one (Sutherland and Hodgman, "Reentrant polygon clipping", 1974).
  /// New corners lie exactly on the side.
  package func clipped(to bounds: PixelBounds) -> ConvexOutline {
    var outline = self
    outline.keep(\.x, from: Double(bounds.left), sign: 1)
    outline.keep(\.x, from: Double(bounds.right), sign: -1)
    outline.keep(\.y, from: Double(bounds.top), sign: 1)
    outline.keep(\.y, from: Double(bounds.bottom), sign: -1)
    return outline
  }

  init(points: [OutlinePoint]) { self.points = points }

  /// Cuts off the part in which `side`, a linear function, is negative.
  mutating func keep(_ side: (OutlinePoint) -> Double) {
    guard var before = points.last else { return }
    var kept: [OutlinePoint] = []
    for point in points {
      let (was, now) = (side(before), side(point))
      if (was < 0) != (now < 0) {
        let fraction = was / (was - now)
        kept.append(
          OutlinePoint(
            x: before.x + (point.x - before.x) * fraction,
            y: before.y + (point.y - before.y) * fraction))
      }
      if now >= 0 { kept.append(point) }
      before = point
    }
    points = kept
  }

  private mutating func keep(
    _ axis: WritableKeyPath<OutlinePoint, Double>, from limit: Double, sign: Double
  ) {
    guard var before = points.last else { return }
    var kept: [OutlinePoint] = []
    for point in points {
      let (was, now) = (
        (before[keyPath: axis] - limit) * sign, (point[keyPath: axis] - limit) * sign
      )
      if (was < 0) != (now < 0) {
        let fraction = was / (was - now)
        var cut = OutlinePoint(
          x: before.x + (point.x - before.x) * fraction,
          y: before.y + (point.y - before.y) * fraction)
        cut[keyPath: axis] = limit
        kept.append(cut)
      }
      if now >= 0 { kept.append(point) }
      before = point
    }
    points = kept
  }

  /// The area in pixels.
  package var area: Double { abs(signedArea) }

  /// The area, whose sign depends on whether the corners are in clockwise order.
  var signedArea: Double {
    guard let origin = points.first, var before = points.last else { return 0 }
    var sum = 0.0
    for point in points {
      sum += (before.x - origin.x) * (point.y - origin.y)
      sum -= (point.x - origin.x) * (before.y - origin.y)
      before = point
    }
    return sum / 2
  }

  /// The pixels that it touches, extended to even edges so that no chroma sample is cut; `nil` if there are none.
  var evenBounds: PixelBounds? {
    guard let first = points.first else { return nil }
    var (left, top, right, bottom) = (first.x, first.y, first.x, first.y)
    for point in points {
      (left, right) = (min(left, point.x), max(right, point.x))
      (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }
    func even(_ edge: Double, _ rule: FloatingPointRoundingRule) -> Int {
      Int((edge / 2).rounded(rule)) * 2
    }
    let bounds = PixelBounds(
      left: even(left, .down), top: even(top, .down), right: even(right, .up),
      bottom: even(bottom, .up))
    return bounds.isEmpty ? nil : bounds
  }
}
