/// A filled and stroked outline in the layer's bounds.
public struct ShapeContent: Hashable, Sendable {
  /// The kind of outline.
  public enum Outline: Hashable, Sendable {
    /// The bounds, with rounded corners of a radius in pixels.
    case rectangle(cornerRadius: Double)
    /// The ellipse that fills the bounds.
    case ellipse
    /// SVG path data in the layer's space. The path is not clipped to the bounds.
    case path(String)
  }

  /// The outline.
  public var outline: Outline
  /// The fill color; `nil` for no fill.
  public var fill: Color?
  /// The stroke along the outline; `nil` for no stroke.
  public var stroke: ShapeStroke?
  /// The gradient that fills the outline if there is no fill color.
  public var gradient: ShapeGradient?

  /// Creates a shape.
  public init(
    _ outline: Outline, fill: Color?, stroke: ShapeStroke? = nil, gradient: ShapeGradient? = nil
  ) {
    self.outline = outline
    self.fill = fill
    self.stroke = stroke
    self.gradient = gradient
  }
}

/// A linear gradient across the bounds of a shape.
public struct ShapeGradient: Hashable, Codable, Sendable {
  /// A color at a place along the gradient.
  public struct Stop: Hashable, Sendable {
    /// The color.
    public var color: Color
    /// The opacity, from 0 to 1.
    public var opacity: Double
    /// The place, from 0 where the gradient begins to 1 where it ends.
    public var place: Double

    /// Creates a stop.
    public init(color: Color, opacity: Double = 1, place: Double) {
      self.color = color
      self.opacity = opacity
      self.place = place
    }
  }

  /// The direction from the first stop to the last one.
  public var direction: MotionDirection
  /// The stops in order; at least two.
  public var stops: [Stop]

  /// Creates a gradient.
  public init(direction: MotionDirection = .down, stops: [Stop]) {
    self.direction = direction
    self.stops = stops
  }
}

/// A stroke along an outline, half inside and half outside.
public struct ShapeStroke: Hashable, Sendable {
  /// The color.
  public var color: Color
  /// The width, in pixels of the layer's space.
  public var width: Double

  /// Creates a stroke.
  public init(color: Color, width: Double) {
    self.color = color
    self.width = width
  }
}
