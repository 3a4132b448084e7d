import Timeline

/// The mask of a layer in a slice: a ``Mask`` whose map is a source of the segment.
public struct MaskSlice: Hashable, Codable, Sendable {
  /// The order in which the pixels of the frame open.
  public enum Shape: Hashable, Codable, Sendable {
    /// A circle about the frame's centre, which grows.
    case circle
    /// A hand about the frame's centre, which turns clockwise from 12 o'clock.
    case clock
    /// A straight edge that crosses the frame in a direction.
    case edge(SequenceTransition.Direction)
    /// The dark pixels of a still image first: the index of its stream in ``SegmentDescription/sources``.
    case map(source: Int)
  }

  /// The order in which the pixels open.
  public var shape: Shape
  /// How wide the edge between open and closed is: 0 is hard, 1 as wide as the whole way.
  public var softness: Double
  /// How far it has opened over output time, 0 to 1; 1 by default.
  public var progress: Ramps<Double>

  /// Creates a mask.
  public init(shape: Shape, softness: Double, progress: Ramps<Double>) {
    self.shape = shape
    self.softness = softness
    self.progress = progress
  }
}
