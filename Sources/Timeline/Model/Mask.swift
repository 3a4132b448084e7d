/// A mask of a layer: a shape or a map that opens over the output's frame as its progress goes from 0 to 1.
public struct Mask: Hashable, Sendable {
  /// The order in which the pixels of the frame open.
  public enum Shape: Hashable, Sendable {
    /// A circle around the frame's center, which grows until it contains the corners.
    case circle
    /// A clock hand at the frame's center, which turns clockwise from 12 o'clock.
    case clock
    /// A straight edge that crosses the frame in a direction.
    case edge(MotionDirection)
    /// The dark pixels of a grayscale image first, the bright ones last. The image is scaled to the frame.
    case map(asset: String)
  }

  /// The order in which the pixels open.
  public var shape: Shape
  /// The width of the edge between open and closed, from 0 (hard) to 1 (as wide as the edge's whole path).
  public var softness: Double
  /// The progress, from 0 (closed) to 1 (open, the default).
  public var progress: Ramps<Double>

  /// Creates a mask.
  public init(shape: Shape, softness: Double = 0, progress: Ramps<Double> = Ramps()) {
    self.shape = shape
    self.softness = softness
    self.progress = progress
  }
}

extension Mask {
  /// The asset of a map.
  public var asset: String? { if case .map(let asset) = shape { asset } else { nil } }
}
