/// How a layer's content lies in bounds of another size, as Core Animation's `contentsGravity` says it.
public enum ContentsGravity: String, Hashable, Codable, Sendable, CaseIterable {
  /// Stretched over the bounds.
  case resize
  /// As large as fits into the bounds, in its own shape, in their middle.
  case resizeAspect
  /// As small as covers the bounds, in its own shape, about their middle.
  case resizeAspectFill
  /// In its own size in the middle.
  case center
  /// In its own size in the middle of the upper edge.
  case top
  /// In its own size in the middle of the lower edge.
  case bottom
  /// In its own size in the middle of the left edge.
  case left
  /// In its own size in the middle of the right edge.
  case right
  /// In its own size in a corner.
  case topLeft
  /// In its own size in a corner.
  case topRight
  /// In its own size in a corner.
  case bottomLeft
  /// In its own size in a corner.
  case bottomRight

  /// Whether the content keeps its own size.
  public var keepsSize: Bool { ![.resize, .resizeAspect, .resizeAspectFill].contains(self) }

  /// The rectangle that content of a size fills in bounds.
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

  /// Which part of what the bounds have more than the content lies to its left, and above it.
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
