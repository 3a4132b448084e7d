/// A layer of a tree: its content, its geometry and its animations.
///
/// The layer's own space is that of its ``bounds``. It is mapped to the surrounding space by ``scale``, ``rotation``
/// and ``transform``, in this order, about the anchor point, which ends up at ``position``.
public struct AnimationLayer: Hashable, Sendable {
  /// The layer's content.
  public var content: LayerContent
  /// The anchor point's position in the surrounding space; `nil` puts the layer at that space's top left corner.
  public var position: LayerPoint?
  /// The point of the bounds that stays at ``position``: (0, 0) top left, (1, 1) bottom right, the middle by default.
  public var anchorPoint: LayerPoint
  /// The layer's rectangle in its own space. `nil` means the size of the content.
  public var bounds: PixelRect?
  /// The placement of an image or text in bounds of another size. By default it is stretched.
  public var contentsGravity: ContentsGravity
  /// The horizontal and vertical scale. The default is 1.
  public var scale: LayerPoint
  /// The clockwise rotation, in degrees.
  public var rotation: Double
  /// A transform that is applied after scale and rotation. The default is the identity.
  public var transform: AffineTransform
  /// The stacking order among sibling layers: higher values are on top. The default is 0.
  public var zPosition: Double
  /// Whether the layer and its sublayers are clipped to its bounds.
  public var masksToBounds: Bool
  /// The opacity, from 0 (transparent) to 1 (opaque). It applies to a group as a whole, after its layers are
  /// composited.
  public var opacity: Double
  /// The time range in which the layer is visible. `nil` means always.
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
  /// The horizontal coordinate, to the right.
  public var x: Double
  /// The vertical coordinate, downwards.
  public var y: Double

  /// Creates a point from its coordinates.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  /// Interpolates each coordinate linearly.
  public func interpolated(to end: LayerPoint, fraction: Double) -> LayerPoint {
    LayerPoint(
      x: x.interpolated(to: end.x, fraction: fraction),
      y: y.interpolated(to: end.y, fraction: fraction))
  }
}
