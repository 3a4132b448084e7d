import Timeline

extension Placement {
  /// Places a picture that is sampled at its exact position: one with alpha, or of an animation.
  ///
  /// - Parameters:
  ///   - space: the picture's display space.
  ///   - crop: the part to show; `nil` means all of it.
  ///   - hasSoftEdges: whether edges along the axes are mixed by area. If not, they include pixels whose centers lie
  ///     inside.
  ///   - clips: the outlines that clip the picture.
  ///   - corners: the corners that keep their size when the picture is stretched.
  ///   - hasAlpha: whether any part of it may be translucent.
  /// - Returns: `nil` if no part of the picture is visible.
  init?(
    sampling space: DisplaySpace, transform: AffineTransform, crop: PixelRect?, hasSoftEdges: Bool,
    clips: [ConvexOutline], hasAlpha: Bool, corners: CornerSampling? = nil, canvas: PixelSize
  ) throws {
    guard transform.isWithinReach else {
      throw RenderingError(
        .invalidDescription,
        "a transform contains a number that is too large or not finite: \(transform.numbers)")
    }
    let shown = crop.map { $0.clamped(to: space.all) } ?? space.all
    let bounds = PixelBounds(left: 0, top: 0, right: canvas.width, bottom: canvas.height)
    var outline = ConvexOutline(shown, under: transform)
    if !hasSoftEdges, let axes = Axes(transform) {
      guard let covered = Self.pixels(of: axes.map(shown), within: bounds) else { return nil }
      outline = ConvexOutline(covered)
    }
    for clip in clips { outline = outline.clipped(to: clip) }
    self.init(
      filling: outline, with: shown, of: space, under: transform, corners: corners, canvas: bounds)
    isTranslucent = hasAlpha
  }
}

extension ConvexOutline {
  /// The part inside another one; it has no points if there is no such part.
  func clipped(to other: ConvexOutline) -> ConvexOutline {
    var outline = self
    guard var from = other.points.last, other.area > 0 else { return ConvexOutline(points: []) }
    // The order of the corners decides which side is inside.
    let sign = other.signedArea < 0 ? -1.0 : 1
    for to in other.points {
      let (x, y) = (to.x - from.x, to.y - from.y)
      let origin = from
      outline.keep { (x * ($0.y - origin.y) - y * ($0.x - origin.x)) * sign }
      from = to
    }
    return outline
  }
}
