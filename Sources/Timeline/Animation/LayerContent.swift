/// The content of a layer.
public enum LayerContent: Hashable, Sendable {
  /// An image (PNG, JPEG, HEIC, AVIF or SVG) that fills the bounds, or has its own size if there are no bounds.
  case image(asset: String)
  /// Text, wrapped to the width of the bounds if there are any.
  case text(TextContent)
  /// A rectangle, an ellipse or a path within the bounds.
  case shape(ShapeContent)
  /// A color that fills the bounds.
  case solid(Color)
  /// Layers in their own space. Its bounds default to the surrounding space.
  case group([AnimationLayer])
  /// The output of the instructions, in the render size.
  case video
  /// A timecode that counts the time of the output.
  case timecode(TimecodeContent)

  /// The names of the kinds in JSON.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// ``LayerContent/image(asset:)``
    case image = "image"
    /// ``LayerContent/text(_:)``
    case text = "text"
    /// ``LayerContent/shape(_:)``
    case shape = "shape"
    /// ``LayerContent/solid(_:)``
    case solid = "solid"
    /// ``LayerContent/group(_:)``
    case group = "group"
    /// ``LayerContent/video``
    case video = "video"
    /// ``LayerContent/timecode(_:)``
    case timecode = "timecode"
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

  /// The single color of the content, which an animation can change; `nil` if the content has no single color.
  public var soleColor: Color? {
    switch self {
    case .text(let text): text.hasSoleColor ? text.color : nil
    case .shape(let shape): shape.stroke == nil ? shape.fill : nil
    case .solid(let color): color
    case .timecode(let timecode): timecode.color
    case .image, .group, .video: nil
    }
  }
}
