/// The backdrop beneath a layer's picture. It extends a picture of another shape to the whole frame, and is subject to
/// the layer's crop, transform, opacity and mask.
public struct Backdrop: Hashable, Sendable {
  /// The content of the backdrop.
  public enum Fill: Hashable, Sendable {
    /// A copy of the layer's picture, centred and as large as it must be to fill the rectangle, blurred by a Gaussian of
    /// this standard deviation, in pixels of the display size.
    case blur(sigma: Double)
    /// A color.
    case color(Color)
  }

  /// Its rectangle in the picture's square-pixel clean-aperture space, before the transform.
  public var rect: PixelRect
  /// The content of the backdrop.
  public var fill: Fill

  /// Creates a backdrop.
  public init(rect: PixelRect, fill: Fill) {
    self.rect = rect
    self.fill = fill
  }
}
