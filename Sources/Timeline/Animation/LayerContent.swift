/// The content of a layer.
public enum LayerContent: Hashable, Sendable {
  /// The picture of an asset (PNG, JPEG, HEIC, AVIF or SVG), which fills the bounds, or has its own size if there are
  /// none.
  case image(asset: String)
  /// Text, wrapped in the width of the bounds where there are some.
  case text(TextContent)
  /// A rectangle, an ellipse or a path in the bounds.
  case shape(ShapeContent)
  /// A color over the bounds.
  case solid(Color)
  /// Layers in their own space. Its bounds default to the surrounding space.
  case group([AnimationLayer])
  /// The instructions' output, whose size is the render size.
  case video
  /// A time code that counts the output's time.
  case timecode(TimecodeContent)

  /// The names of the kinds in a project file.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// ``LayerContent/image(asset:)``
    case image
    /// ``LayerContent/text(_:)``
    case text
    /// ``LayerContent/shape(_:)``
    case shape
    /// ``LayerContent/solid(_:)``
    case solid
    /// ``LayerContent/group(_:)``
    case group
    /// ``LayerContent/video``
    case video
    /// ``LayerContent/timecode(_:)``
    case timecode
  }

  /// The content's kind.
  public var kind: Kind {
    switch self {
    case .image: .image
    case .text: .text
    case .shape: .shape
    case .solid: .solid
    case .group: .group
    case .video: .video
    case .timecode: .timecode
    }
  }

  /// The one color that all of the content has, if it has one: what an animation of color changes.
  public var soleColor: Color? {
    switch self {
    case .text(let text): text.outline == nil && text.shadow == nil ? text.color : nil
    case .shape(let shape): shape.stroke == nil ? shape.fill : nil
    case .solid(let color): color
    case .timecode(let timecode): timecode.color
    case .image, .group, .video: nil
    }
  }
}
