/// The placement of a layer's content in bounds of another size, as in Core Animation's `contentsGravity`.
public enum ContentsGravity: String, Hashable, Codable, Sendable, CaseIterable {
  /// Stretched to the bounds.
  case resize = "resize"
  /// Centered, as large as fits into the bounds without distortion.
  case resizeAspect = "resizeAspect"
  /// Centered, as small as covers the bounds without distortion.
  case resizeAspectFill = "resizeAspectFill"
  /// Unscaled in the center.
  case center = "center"
  /// Unscaled in the middle of the top edge.
  case top = "top"
  /// Unscaled in the middle of the bottom edge.
  case bottom = "bottom"
  /// Unscaled in the middle of the left edge.
  case left = "left"
  /// Unscaled in the middle of the right edge.
  case right = "right"
  /// Unscaled in the top left corner.
  case topLeft = "topLeft"
  /// Unscaled in the top right corner.
  case topRight = "topRight"
  /// Unscaled in the bottom left corner.
  case bottomLeft = "bottomLeft"
  /// Unscaled in the bottom right corner.
  case bottomRight = "bottomRight"

  /// Whether the content keeps its size.
  public var keepsSize: Bool { ![.resize, .resizeAspect, .resizeAspectFill].contains(self) }

  /// The rectangle within bounds for content of the given size.
  public func area(width: Double, height: Double, in bounds: PixelRect) -> PixelRect {
    let (across, down) = (bounds.width / width, bounds.height / height)
    let scale =
      switch self {
      case .resizeAspect: min(across, down)
      case .resizeAspectFill: max(across, down)
      default: 1.0
      }
    let size = self == .resize ? (bounds.width, bounds.height) : (width * scale, height * scale)
    let (left, top) = place
    return PixelRect(
      x: bounds.x + (bounds.width - size.0) * left, y: bounds.y + (bounds.height - size.1) * top,
      width: size.0, height: size.1)
  }

  /// The fractions of the space around the content that are to its left and above it.
  private var place: (left: Double, top: Double) {
    switch self {
    case .resize, .resizeAspect, .resizeAspectFill, .center: (0.5, 0.5)
    case .top: (0.5, 0)
    case .bottom: (0.5, 1)
    case .left: (0, 0.5)
    case .right: (1, 0.5)
    case .topLeft: (0, 0)
    case .topRight: (1, 0)
    case .bottomLeft: (0, 1)
    case .bottomRight: (1, 1)
    }
  }
}
