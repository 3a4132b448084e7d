/// One layer of a tree: what it shows, where, and how that changes.
///
/// The layer's own space is that of its ``bounds``. A point goes into the space around by ``scale``, ``rotation`` and
/// ``transform``, in this order, about the anchor point, which then lies at ``position``.
public struct AnimationLayer: Hashable, Sendable {
  /// The layer's content.
  public var content: LayerContent
  /// The anchor point's position in the surrounding space; `nil` puts the layer at that space's top left corner.
  public var position: LayerPoint?
  /// The point of the bounds that stays at ``position``: (0, 0) top left, (1, 1) bottom right, the middle by default.
  public var anchorPoint: LayerPoint
  /// The layer's rectangle in its own space; where `nil`, what the content says.
  public var bounds: PixelRect?
  /// How an image, or text, lies in bounds of another size; stretched by default.
  public var contentsGravity: ContentsGravity
  /// The factors across and down, 1 by default.
  public var scale: LayerPoint
  /// The turn clockwise, in degrees.
  public var rotation: Double
  /// A transform that comes after scale and rotation; identity by default.
  public var transform: AffineTransform
  /// Layers of a higher one lie over those of a lower one beside them; 0 by default.
  public var zPosition: Double
  /// Whether the layer and those inside it show only within its bounds.
  public var masksToBounds: Bool
  /// 0 (clear) to 1 (opaque); a group fades as one, after its layers are composited together.
  public var opacity: Double
  /// When the layer shows; all the time where `nil`.
  public var timeRange: TimeRange?
  /// The layer's animations. If several change one property at the same time, the last one applies.
  public var animations: [LayerAnimation]

  /// Creates a layer.
  public init(
    _ content: LayerContent, position: LayerPoint? = nil,
    anchorPoint: LayerPoint = LayerPoint(x: 0.5, y: 0.5), bounds: PixelRect? = nil,
    scale: LayerPoint = LayerPoint(x: 1, y: 1), rotation: Double = 0,
    transform: AffineTransform = .identity, zPosition: Double = 0, masksToBounds: Bool = false,
    opacity: Double = 1, timeRange: TimeRange? = nil, animations: [LayerAnimation] = [],
    contentsGravity: ContentsGravity = .resize
  ) {
    self.content = content
    self.position = position
    self.anchorPoint = anchorPoint
    self.bounds = bounds
    self.scale = scale
    self.rotation = rotation
    self.transform = transform
    self.zPosition = zPosition
    self.masksToBounds = masksToBounds
    self.opacity = opacity
    self.timeRange = timeRange
    self.animations = animations
    self.contentsGravity = contentsGravity
  }
}

/// A point in pixels, or a pair of factors.
public struct LayerPoint: Hashable, Codable, Sendable, Interpolatable {
  /// Across, to the right.
  public var x: Double
  /// Down.
  public var y: Double

  /// A point from its coordinates.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  /// Each coordinate on its own linear path.
  public func interpolated(to end: LayerPoint, fraction: Double) -> LayerPoint {
    LayerPoint(
      x: x.interpolated(to: end.x, fraction: fraction),
      y: y.interpolated(to: end.y, fraction: fraction))
  }
}
