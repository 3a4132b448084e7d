/// Text in one font and color.
public struct TextContent: Hashable, Sendable {
  /// The alignment of lines within the width of the bounds.
  public enum Alignment: String, Hashable, Codable, Sendable, CaseIterable {
    /// Left for text that runs to the right, and right for text that runs to the left.
    case natural
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
    /// At both edges, but for a paragraph's last line.
    case justified
  }

  /// The text; line feeds begin paragraphs.
  public var text: String
  /// The font.
  public var font: LayerFont
  /// The letters' color.
  public var color: Color
  /// The alignment of lines.
  public var alignment: Alignment
  /// A line around the letters.
  public var outline: TextOutline?
  /// The shadow of the letters.
  public var shadow: LayerShadow?

  /// White.
  public static let defaultColor = Color(red: 255, green: 255, blue: 255)

  /// Creates text.
  public init(
    _ text: String, font: LayerFont, color: Color = defaultColor,
    alignment: Alignment = .natural, outline: TextOutline? = nil, shadow: LayerShadow? = nil
  ) {
    self.text = text
    self.font = font
    self.color = color
    self.alignment = alignment
    self.outline = outline
    self.shadow = shadow
  }
}

/// A font by what it is called and looks like.
public struct LayerFont: Hashable, Codable, Sendable {
  /// How the letters stand.
  public enum Style: String, Hashable, Codable, Sendable, CaseIterable {
    /// Upright.
    case normal
    /// In the family's own slanted letters.
    case italic
    /// Slanted.
    case oblique
  }

  /// The family's name, of those that are installed where the project is planned.
  public var family: String
  /// How bold, 100 to 1000; 400 is regular, 700 bold.
  public var weight: Int
  /// How the letters stand.
  public var style: Style
  /// The size in pixels of the layer's space.
  public var size: Double

  /// The family that the system gives for letters without serifs.
  public static let defaultFamily = "Sans"

  /// Creates a font.
  public init(
    family: String = defaultFamily, weight: Int = 400, style: Style = .normal, size: Double
  ) {
    self.family = family
    self.weight = weight
    self.style = style
    self.size = size
  }

  /// The weights that have a name in a project file.
  package static let weights: [(name: String, weight: Int)] = [
    ("thin", 100), ("ultraLight", 200), ("light", 300), ("regular", 400), ("medium", 500),
    ("semibold", 600), ("bold", 700), ("heavy", 800), ("black", 900),
  ]
}

/// A line around letters.
public struct TextOutline: Hashable, Sendable {
  /// Its color.
  public var color: Color
  /// How far it reaches beyond the letters, in pixels of the layer's space.
  public var width: Double

  /// Creates an outline.
  public init(color: Color, width: Double) {
    self.color = color
    self.width = width
  }
}

/// A blurred copy beneath.
public struct LayerShadow: Hashable, Sendable {
  /// Its color.
  public var color: Color
  /// How dense it is, 0 to 1.
  public var opacity: Double
  /// How far it lies away, in pixels of the layer's space.
  public var offset: LayerPoint
  /// How far it is blurred: twice the standard deviation of a Gaussian, in pixels of the layer's space.
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
