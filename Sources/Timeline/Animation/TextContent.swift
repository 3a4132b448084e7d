/// Text in one font and color.
public struct TextContent: Hashable, Sendable {
  /// The alignment of lines within the width of the bounds.
  public enum Alignment: String, Hashable, Codable, Sendable, CaseIterable {
    /// Left for left-to-right text, and right for right-to-left text.
    case natural = "natural"
    /// At the left edge.
    case left = "left"
    /// In the middle.
    case center = "center"
    /// At the right edge.
    case right = "right"
    /// At both edges, except for the last line of a paragraph.
    case justified = "justified"
  }

  /// The text. Line feeds separate paragraphs.
  public var text: String
  /// The font.
  public var font: LayerFont
  /// The color of the letters.
  public var color: Color
  /// The alignment of lines.
  public var alignment: Alignment
  /// The outline of the letters.
  public var outline: TextOutline?
  /// The shadow of the letters.
  public var shadow: LayerShadow?
  /// The plate beneath the lines.
  public var plate: TextPlate?

  /// White.
  public static let defaultColor = Color(red: 255, green: 255, blue: 255)

  /// Creates text.
  public init(
    _ text: String, font: LayerFont, color: Color = defaultColor,
    alignment: Alignment = .natural, outline: TextOutline? = nil, shadow: LayerShadow? = nil,
    plate: TextPlate? = nil
  ) {
    self.text = text
    self.font = font
    self.color = color
    self.alignment = alignment
    self.outline = outline
    self.shadow = shadow
    self.plate = plate
  }

  /// Whether nothing but the letters is drawn.
  var hasSoleColor: Bool { outline == nil && shadow == nil && plate == nil }
}

/// A font, described by family, weight, style and size.
public struct LayerFont: Hashable, Sendable {
  /// The slant of the letters.
  public enum Style: String, Hashable, Codable, Sendable, CaseIterable {
    /// Upright.
    case normal = "normal"
    /// The family's italic letters.
    case italic = "italic"
    /// Upright letters, slanted.
    case oblique = "oblique"
  }

  /// The name of a family that is installed on the host that plans the project.
  public var family: String
  /// The weight, from 100 to 1000. 400 is regular, 700 is bold.
  public var weight: Int
  /// The slant of the letters.
  public var style: Style
  /// The size, in pixels of the layer's space.
  public var size: Double
  /// The space that is added between letters, in pixels of the layer's space. It may be negative.
  public var tracking: Double

  /// The system's default sans-serif family.
  public static let defaultFamily = "Sans"

  /// Creates a font.
  public init(
    family: String = defaultFamily, weight: Int = 400, style: Style = .normal, size: Double,
    tracking: Double = 0
  ) {
    self.family = family
    self.weight = weight
    self.style = style
    self.size = size
    self.tracking = tracking
  }

  /// The named weights of the project file.
  package static let weights: [(name: String, weight: Int)] = [
    ("thin", 100), ("ultraLight", 200), ("light", 300), ("regular", 400), ("medium", 500),
    ("semibold", 600), ("bold", 700), ("heavy", 800), ("black", 900),
  ]
}

/// An outline around letters.
public struct TextOutline: Hashable, Sendable {
  /// The color.
  public var color: Color
  /// The distance that it extends beyond the letters, in pixels of the layer's space.
  public var width: Double

  /// Creates an outline.
  public init(color: Color, width: Double) {
    self.color = color
    self.width = width
  }
}

/// A rectangle beneath the lines of a text, which it follows in size.
public struct TextPlate: Hashable, Sendable {
  /// The color.
  public var color: Color
  /// The opacity, from 0 to 1.
  public var opacity: Double
  /// How far the plate extends beyond the lines to the left and right (`x`) and above and below (`y`), in pixels of the
  /// layer's space.
  public var padding: LayerPoint
  /// The radius of the corners, in pixels of the layer's space.
  public var cornerRadius: Double

  /// Creates a plate.
  public init(
    color: Color, opacity: Double = 1, padding: LayerPoint = LayerPoint(x: 0, y: 0),
    cornerRadius: Double = 0
  ) {
    self.color = color
    self.opacity = opacity
    self.padding = padding
    self.cornerRadius = cornerRadius
  }
}

/// A blurred shadow beneath text.
public struct LayerShadow: Hashable, Sendable {
  /// The color.
  public var color: Color
  /// The opacity, from 0 to 1.
  public var opacity: Double
  /// The offset from the text, in pixels of the layer's space.
  public var offset: LayerPoint
  /// The blur radius, which is twice the standard deviation of the Gaussian, in pixels of the layer's space.
  public var radius: Double

  /// Creates a shadow.
  public init(
    color: Color = .black, opacity: Double = 0.5, offset: LayerPoint = LayerPoint(x: 0, y: 3),
    radius: Double = 3
  ) {
    self.color = color
    self.opacity = opacity
    self.offset = offset
    self.radius = radius
  }
}
