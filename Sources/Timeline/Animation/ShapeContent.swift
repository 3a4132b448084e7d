/// A filled and stroked outline in the layer's bounds.
public struct ShapeContent: Hashable, Sendable {
  /// The kind of outline.
  public enum Outline: Hashable, Sendable {
    /// The bounds, with round corners of a radius in pixels.
    case rectangle(cornerRadius: Double)
    /// The ellipse that fills the bounds.
    case ellipse
    /// A path in the syntax of SVG, in the layer's space; it shows whole, beyond the bounds too.
    case path(String)
  }

  /// The outline.
  public var outline: Outline
  /// The color inside; `nil` for none.
  public var fill: Color?
  /// The line along the outline; `nil` for none.
  public var stroke: ShapeStroke?

  /// Creates a shape.
  public init(_ outline: Outline, fill: Color?, stroke: ShapeStroke? = nil) {
    self.outline = outline
    self.fill = fill
    self.stroke = stroke
  }
}

/// A line along an outline, half inside and half outside.
public struct ShapeStroke: Hashable, Sendable {
  /// Its color.
  public var color: Color
  /// Its width in pixels of the layer's space.
  public var width: Double

  /// Creates a line.
  public init(color: Color, width: Double) {
    self.color = color
    self.width = width
  }
}
