/// A mask that a layer shows through: a shape or a map that opens over the output's frame as its progress goes from 0
/// to 1.
public struct Mask: Hashable, Sendable {
  /// The order in which the pixels of the frame open.
  public enum Shape: Hashable, Sendable {
    /// A circle about the frame's centre, which grows until it holds the corners.
    case circle
    /// A hand about the frame's centre, which turns clockwise from 12 o'clock.
    case clock
    /// A straight edge that crosses the frame in a direction.
    case edge(SequenceTransition.Direction)
    /// The dark pixels of a grey-scale image first, the bright ones last. The image is scaled to the frame.
    case map(asset: String)
  }

  /// The order in which the pixels open.
  public var shape: Shape
  /// How wide the edge between open and closed is: 0 is hard, 1 as wide as the whole way.
  public var softness: Double
  /// How far it has opened, 0 to 1; 1, which is all, by default.
  public var progress: Ramps<Double>

  /// Creates a mask.
  public init(shape: Shape, softness: Double = 0, progress: Ramps<Double> = Ramps()) {
    self.shape = shape
    self.softness = softness
    self.progress = progress
  }
}

extension Mask {
  /// The name of the image of a map.
  public var asset: String? { if case .map(let asset) = shape { asset } else { nil } }
}
