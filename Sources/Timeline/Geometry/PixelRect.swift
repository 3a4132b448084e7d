/// A rectangle in pixels, origin top-left, y down.
public struct PixelRect: Hashable, Codable, Sendable {
  /// The left edge; negative if it is left of the picture.
  public var x: Double
  /// The top edge; negative if it is above the picture.
  public var y: Double
  /// The distance from the left to the right edge, in pixels.
  public var width: Double
  /// The distance from the top to the bottom edge, in pixels.
  public var height: Double

  /// Creates a rectangle from its top-left corner and sides, in pixels.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

extension PixelRect: Interpolatable {
  /// Interpolates the position and each side linearly.
  public func interpolated(to end: PixelRect, fraction: Double) -> PixelRect {
    PixelRect(
      x: x.interpolated(to: end.x, fraction: fraction),
      y: y.interpolated(to: end.y, fraction: fraction),
      width: width.interpolated(to: end.width, fraction: fraction),
      height: height.interpolated(to: end.height, fraction: fraction))
  }
}
