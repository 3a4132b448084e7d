import Timeline

/// The sampling of a picture whose corners keep their size while the rest is stretched.
package struct CornerSampling: Hashable, Sendable {
  /// How far the corners reach from the edges, in pixels of the picture.
  private var across: Double
  private var down: Double
  /// The ratio of the picture's sides to the sides at which its corners would have their own size.
  private var stretch: LayerPoint
  /// The picture's size, once it is known.
  private var size: PixelSize?

  /// Creates corners from their length and the picture's stretch relative to them.
  package init(length: LayerPoint, stretch: LayerPoint) {
    (across, down) = (length.x, length.y)
    self.stretch = stretch
  }

  /// The transform that applies to the corners of a picture with the given transform.
  func unstretched(_ transform: AffineTransform) -> AffineTransform {
    AffineTransform(a: 1 / stretch.x, b: 0, c: 0, d: 1 / stretch.y, tx: 0, ty: 0)
      .concatenating(transform)
  }

  /// The corners of a picture that is scaled before it is sampled.
  func scaled(from size: PixelSize, to scaled: PixelSize) -> CornerSampling {
    var corners = self
    corners.across *= Double(scaled.width) / Double(size.width)
    corners.down *= Double(scaled.height) / Double(size.height)
    corners.size = scaled
    return corners
  }

  /// The position in the picture that replaces a position in an evenly stretched picture.
  @inline(__always)
  func position(_ u: Double, _ v: Double) -> (u: Double, v: Double) {
    guard let size else { return (u, v) }
    return (
      Self.position(u, of: Double(size.width), corner: across, stretch: stretch.x),
      Self.position(v, of: Double(size.height), corner: down, stretch: stretch.y)
    )
  }

  @inline(__always)
  private static func position(
    _ place: Double, of length: Double, corner: Double, stretch: Double
  ) -> Double {
    let corner = min(corner, length / 2)
    let (shown, whole) = (place * stretch, length * stretch)
    // If there is no room for both corners, they share it.
    let own = min(corner, whole / 2)
    if shown < own { return shown * (corner / own) }
    if shown > whole - own { return length - (whole - shown) * (corner / own) }
    guard whole > 2 * own else { return corner }
    return corner + (shown - own) * (length - 2 * corner) / (whole - 2 * own)
  }
}
