/// What a layer's picture lies on: it makes a picture of another shape as large as the frame, and takes part in the layer's
/// crop, transform, opacity and mask.
public struct Backdrop: Hashable, Sendable {
  /// What it shows.
  public enum Fill: Hashable, Sendable {
    /// A copy of the layer's picture, centred and as large as it must be to fill the rectangle, blurred by a Gaussian of
    /// this standard deviation, in pixels of the display size.
    case blur(sigma: Double)
    /// A colour.
    case color(Colour)
  }

  /// Where it is, in the picture's square-pixel clean-aperture space, before the transform.
  public var rect: PixelRect
  /// What it shows.
  public var fill: Fill

  /// A backdrop from its parts.
  public init(rect: PixelRect, fill: Fill) {
    self.rect = rect
    self.fill = fill
  }
}
