import Timeline

/// The mask of a layer in a slice: a ``Mask`` whose map is a source of the segment.
public struct MaskSlice: Hashable, Codable, Sendable {
  /// The order in which the pixels of the frame open.
  public enum Shape: Hashable, Codable, Sendable {
    /// A growing circle around the frame's center.
    case circle
    /// A clock hand around the frame's center that sweeps clockwise from 12 o'clock.
    case clock
    /// A straight edge that crosses the frame in a direction.
    case edge(MotionDirection)
    /// The dark pixels of a still image first; `source` is the image's index in ``SegmentDescription/sources``.
    case map(source: Int)
  }

  /// The order in which the pixels open.
  public var shape: Shape
  /// The width of the edge between open and closed pixels, from 0 (hard) to 1 (as wide as the whole mask).
  public var softness: Double
  /// How far the mask is open over output time, from 0 to 1; 1 by default.
  public var progress: Ramps<Double>

  /// Creates a mask.
  public init(shape: Shape, softness: Double, progress: Ramps<Double>) {
    self.shape = shape
    self.softness = softness
    self.progress = progress
  }
}
