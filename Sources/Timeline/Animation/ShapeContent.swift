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

  /// Creates a shape.
  public init(_ outline: Outline, fill: Color?, stroke: ShapeStroke? = nil) {
    self.outline = outline
    self.fill = fill
    self.stroke = stroke
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
