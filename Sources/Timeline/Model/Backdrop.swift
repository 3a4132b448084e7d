/// A backdrop beneath a layer's picture, which can extend a picture of another shape to the whole frame. The layer's
/// crop, transform, opacity and mask apply to it too.
public struct Backdrop: Hashable, Sendable {
  /// The content of the backdrop.
  public enum Fill: Hashable, Sendable {
    /// A copy of the layer's picture, centered, scaled to fill the rectangle, and blurred by a Gaussian with this
    /// standard deviation in pixels of the display size.
    case blur(sigma: Double)
    /// A color.
    case color(Color)
  }

  /// The rectangle in the picture's square-pixel clean-aperture space, before the transform.
  public var rect: PixelRect
  /// The content of the backdrop.
  public var fill: Fill

  /// Creates a backdrop.
  public init(rect: PixelRect, fill: Fill) {
    self.rect = rect
    self.fill = fill
  }
}
