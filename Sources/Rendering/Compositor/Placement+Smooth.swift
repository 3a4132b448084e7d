import Timeline

extension Placement {
  /// Places a picture that is sampled exactly where it lies: one with alpha, or of an animation.
  ///
  /// - Parameters:
  ///   - size: the picture's size in pixels, `space` its display space.
  ///   - crop: the part that shows; all of it where `nil`.
  ///   - hasSoftEdges: whether an edge along the axes is mixed by area, or covers the pixels whose centres lie inside.
  ///   - clips: what it shows through.
  ///   - corners: what of the picture keeps its size where it is stretched.
  ///   - hasAlpha: whether something may show through any of it.
  /// - Returns: `nil` if nothing of the picture shows.
  init?(
    sampling space: DisplaySpace, transform: AffineTransform, crop: PixelRect?, hasSoftEdges: Bool,
    clips: [ConvexOutline], hasAlpha: Bool, corners: CornerSampling? = nil, canvas: PixelSize
  ) throws {
    guard transform.isWithinReach else {
      throw RenderingError(
        .invalidDescription,
        "a transform has a number that is not finite or too large: \(transform.numbers)")
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
  /// The part inside another one; without points where there is none.
  func clipped(to other: ConvexOutline) -> ConvexOutline {
    var outline = self
    guard var from = other.points.last, other.area > 0 else { return ConvexOutline(points: []) }
    // Which side is inside depends on the way round.
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
