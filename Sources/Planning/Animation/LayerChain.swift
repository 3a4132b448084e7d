import Timeline

/// A layer with content, and the groups that contain it.
struct LayerChain {
  let path: LayerPath
  /// The groups, outermost first, and finally the layer itself.
  let layers: [AnimationLayer]

  var leaf: AnimationLayer { layers[layers.count - 1] }

  /// Whether any part of the chain changes within a range.
  func changes(within range: TimeRange) -> Bool {
    layers.contains { layer in
      layer.animations.contains { $0.changes(within: range) }
        || layer.timeRange.map { $0.start > range.start || $0.end < range.end } ?? false
    }
  }

  /// The layer's look at an instant; `nil` if it is not visible.
  ///
  /// - Parameters:
  ///   - renderSize: the size of the tree's space.
  ///   - natural: the rectangle of the leaf's content in its own space.
  func look(at time: RationalTime, renderSize: PixelSize, natural: PixelRect) -> ChainLook? {
    var look = ChainLook()
    var around = PixelRect(
      x: 0, y: 0, width: Double(renderSize.width), height: Double(renderSize.height))
    for (number, layer) in layers.enumerated() {
      guard layer.timeRange?.contains(time) ?? true else { return nil }
      let values = LayerValues(of: layer, at: time)
      look.opacities.append(values.opacity)
      guard values.opacity > 0 else { return nil }
      let isLeaf = number == layers.count - 1
      let own =
        layer.bounds
        ?? (isLeaf
          ? natural : PixelRect(x: 0, y: 0, width: around.width, height: around.height))
      let bounds = values.bounds ?? own
      look.transform = values.map(bounds, around: around).concatenating(look.transform)
      if layer.masksToBounds { look.clips.append((bounds, look.transform)) }
      if isLeaf {
        look.color = values.color
        let content = layer.bounds == nil || layer.contentsGravity == .resize ? own : natural
        look.place(content, of: layer, in: bounds)
      }
      around = bounds
    }
    return look
  }
}

/// A layer's look at one instant.
struct ChainLook {
  /// The rectangle that a shape fills while its corners keep their size; `nil` if all content is stretched evenly.
  var resized: PixelRect?
  /// The transform from the layer's own space to the render size.
  var transform = AffineTransform.identity
  /// The opacity of the tree, then that of each layer of the chain, outermost first; all are above 0 and at most 1.
  var opacities = [1.0]
  /// The rectangles that clip the layer, each with its transform to the render size.
  var clips: [(rect: PixelRect, transform: AffineTransform)] = []
  /// The animated color of the content, if it has one.
  var color: BlendedColor?
}

extension ChainLook {
  /// Places a layer's content in its current bounds.
  fileprivate mutating func place(
    _ content: PixelRect, of layer: AnimationLayer, in bounds: PixelRect
  ) {
    switch layer.content {
    case .shape(let shape) where shape.keepsCorners: resized = bounds
    case .shape(let shape) where shape.isPath: break
    default:
      let area = layer.contentsGravity.area(
        width: content.width, height: content.height, in: bounds)
      transform = content.stretch(to: area).concatenating(transform)
    }
  }
}

extension ShapeContent {
  /// Whether it is a path, which its bounds do not stretch.
  fileprivate var isPath: Bool { if case .path = outline { true } else { false } }

  /// Whether it is a rectangle whose corners and stroke keep their size in any bounds.
  fileprivate var keepsCorners: Bool {
    guard case .rectangle(let radius) = outline, gradient == nil else { return false }
    return radius > 0 || stroke != nil
  }

  /// The distance from a rectangle's edges within which its content is not uniform, in pixels of the layer's space.
  var cornerLength: Double {
    guard case .rectangle(let radius) = outline else { return 0 }
    return max(radius, stroke?.width ?? 0) + 1
  }
}

/// A layer's properties at one instant.
private struct LayerValues {
  var position: LayerPoint?
  var scale: LayerPoint
  var rotation: Double
  var opacity: Double
  var bounds: PixelRect?
  var color: BlendedColor?
  private let layer: AnimationLayer

  init(of layer: AnimationLayer, at time: RationalTime) {
    self.layer = layer
    position = layer.position
    scale = layer.scale
    rotation = layer.rotation
    opacity = layer.opacity
    for animation in layer.animations {
      switch (animation.property, animation.value(at: time)) {
      case (.position, .point(let point)): position = point
      case (.scale, .point(let factors)): scale = factors
      case (.rotation, .number(let degrees)): rotation = degrees
      case (.opacity, .number(let number)): opacity = min(max(number, 0), 1)
      case (.bounds, .rect(let rect)): bounds = rect
      case (.color, .color(let color)): self.color = color
      default: break
      }
    }
  }

  /// The transform from the layer's space to the enclosing one, whose bounds are `around`.
  func map(_ bounds: PixelRect, around: PixelRect) -> AffineTransform {
    let anchor = LayerPoint(
      x: bounds.x + layer.anchorPoint.x * bounds.width,
      y: bounds.y + layer.anchorPoint.y * bounds.height)
    let place =
      position
      ?? LayerPoint(
        x: around.x + layer.anchorPoint.x * bounds.width,
        y: around.y + layer.anchorPoint.y * bounds.height)
    return AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -anchor.x, ty: -anchor.y)
      .concatenating(AffineTransform(a: scale.x, b: 0, c: 0, d: scale.y, tx: 0, ty: 0))
      .concatenating(Turn.clockwise(degrees: rotation))
      .concatenating(layer.transform)
      .concatenating(AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: place.x, ty: place.y))
  }
}

extension PixelRect {
  /// The transform that maps this rectangle to another one.
  fileprivate func stretch(to other: PixelRect) -> AffineTransform {
    guard self != other else { return .identity }
    let (across, down) = (other.width / width, other.height / height)
    return AffineTransform(
      a: across, b: 0, c: 0, d: down, tx: other.x - x * across, ty: other.y - y * down)
  }
}

extension Animation {
  /// The layers with content, lowest first.
  func chains() -> [LayerChain] { Self.chains(of: layers, at: LayerPath([]), within: []) }

  private static func chains(
    of layers: [AnimationLayer], at path: LayerPath, within outer: [AnimationLayer]
  ) -> [LayerChain] {
    layers.enumerated().sorted {
      ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset)
    }
    .flatMap { number, layer in
      let path = LayerPath(path.numbers + [number])
      guard case .group(let inner) = layer.content else {
        return [LayerChain(path: path, layers: outer + [layer])]
      }
      return chains(of: inner, at: path, within: outer + [layer])
    }
  }
}
