import Timeline

extension Animation {
  /// Reads `{"layers": […], "track": …, "safeArea": …}` for a frame; `nil` if the tree is empty.
  init?(reading node: JSONNode, in scope: LayerScope) {
    guard let members = node.object(["layers", "track", "safeArea"]) else { return nil }
    let scope = scope.reading(members)
    let layers = members.required("layers")?.array()
    let track = members.optional("track").map { $0.integer() }
    self.init(
      layers: layers?.map { AnimationLayer(reading: $0, in: scope, depth: 1) } ?? [],
      track: track ?? nil)
    if self.layers.isEmpty, self.track == nil { return nil }
  }
}

extension AnimationLayer {
  private static let keys = [
    "type", "position", "anchorPoint", "bounds", "scale", "rotation", "transform", "zPosition",
    "masksToBounds", "opacity", "timeRange", "animations", "safeArea",
  ]
  private static let later = [
    "mask", "filters", "compositingFilter", "cornerRadius", "borderWidth", "borderColor",
    "sublayerTransform", "contentsGravity", "hidden", "speed", "timeOffset",
  ]

  /// Reads a layer of any type, `depth` levels deep.
  fileprivate init(reading node: JSONNode, in scope: LayerScope, depth: Int) {
    self.init(.group([]))
    guard case .object(let object) = node.value else {
      _ = node.object([])
      return
    }
    guard depth <= RenderLimits.layerDepth else {
      node.refuse(
        "layers are nested \(depth) levels deep", "use at most \(RenderLimits.layerDepth) levels")
      return
    }
    let kind = JSONMembers(path: node.path, object: object, log: node.log).required("type")?
      .choice(
        of: LayerContent.Kind.self, later: ["gradient", "emitter", "replicator", "scroll", "tiled"])
    guard let kind,
      let members = node.object(
        Self.keys + kind.keys, later: Self.later.filter { !kind.keys.contains($0) })
    else { return }
    var scope = scope.reading(members)
    let content = LayerContent(reading: members, as: kind, in: scope, depth: depth)
    scope.fontSize = content.font?.size
    let position = members.optional("position").map { LayerPoint(position: $0, in: scope) }
    let anchor = members.optional("anchorPoint").map(LayerPoint.init(reading:))
    let bounds = members.optional("bounds").map { PixelRect(bounds: $0, in: scope) }
    let scale = members.optional("scale").map(LayerPoint.init(readingScale:))
    let rotation = members.optional("rotation").map { $0.number() } ?? 0
    let transform = members.optional("transform").map(AffineTransform.init(reading:)) ?? .identity
    let zPosition = members.optional("zPosition").map { $0.number() } ?? 0
    let masks = members.optional("masksToBounds").map { $0.bool() } ?? false
    let opacity = members.optional("opacity").map { $0.number() } ?? 1
    let timeRange = members.optional("timeRange").map { $0.timeRange() }
    let animations = members.optional("animations").map { $0.array() } ?? []
    let gravity =
      kind.keys.contains("contentsGravity")
      ? members.optional("contentsGravity").map { $0.choice(of: ContentsGravity.self) } ?? .resize
      : .resize
    self.init(
      content, position: position ?? nil,
      anchorPoint: (anchor ?? nil) ?? LayerPoint(x: 0.5, y: 0.5),
      bounds: bounds ?? nil, scale: (scale ?? nil) ?? LayerPoint(x: 1, y: 1),
      rotation: rotation ?? 0, transform: transform ?? .identity, zPosition: zPosition ?? 0,
      masksToBounds: masks ?? false, opacity: opacity ?? 1, timeRange: timeRange ?? nil,
      animations: animations?.compactMap { LayerAnimation(reading: $0, in: scope) } ?? [],
      contentsGravity: gravity ?? .resize)
  }
}

extension LayerContent.Kind {
  /// The keys of a layer of this kind, in addition to those that all layers have.
  fileprivate var keys: [String] {
    switch self {
    case .image: ["asset", "contentsGravity"]
    case .text:
      ["text", "font", "color", "alignment", "outline", "shadow", "plate", "contentsGravity"]
    case .shape:
      [
        "shape", "cornerRadius", "path", "fillColor", "fillGradient", "strokeColor", "lineWidth",
      ]
    case .solid: ["color"]
    case .group: ["layers"]
    case .video: []
    case .timecode: ["start", "frameRate", "dropFrame", "font", "color"]
    }
  }
}

extension LayerContent {
  fileprivate init(
    reading members: JSONMembers, as kind: Kind, in scope: LayerScope, depth: Int
  ) {
    switch kind {
    case .image: self = .image(asset: members.required("asset")?.string() ?? "")
    case .text: self = .text(TextContent(reading: members, in: scope))
    case .shape: self = .shape(ShapeContent(reading: members, in: scope))
    case .solid: self = .solid(members.required("color").flatMap(Color.init(reading:)) ?? .black)
    case .group:
      let layers = members.required("layers")?.array() ?? []
      self = .group(layers.map { AnimationLayer(reading: $0, in: scope, depth: depth + 1) })
    case .video: self = .video
    case .timecode: self = .timecode(TimecodeContent(reading: members, in: scope))
    }
  }

  /// The font of the content, if it has letters.
  fileprivate var font: LayerFont? {
    switch self {
    case .text(let text): text.font
    case .timecode(let timecode): timecode.font
    case .image, .shape, .solid, .group, .video: nil
    }
  }
}

extension LayerScope {
  /// The scope with the safe area that an object sets.
  fileprivate func reading(_ members: JSONMembers) -> LayerScope {
    guard let area = members.optional("safeArea")?.choice(of: SafeArea.self) else { return self }
    var scope = self
    scope.area = area
    return scope
  }

  /// The scope within a layer with a font.
  fileprivate func with(_ font: LayerFont?) -> LayerScope {
    var scope = self
    scope.fontSize = font?.size
    return scope
  }
}

extension TextContent {
  fileprivate init(reading members: JSONMembers, in scope: LayerScope) {
    let text = members.required("text")?.string()
    let font = members.required("font").map { LayerFont(reading: $0, in: scope) }
    let scope = scope.with(font)
    let color = members.optional("color").map(Color.init(reading:)) ?? Self.defaultColor
    let alignment = members.optional("alignment").map { $0.choice(of: Alignment.self) } ?? .natural
    let outline = members.optional("outline").map { TextOutline(reading: $0, in: scope) }
    let shadow = members.optional("shadow").map { LayerShadow(reading: $0, in: scope) }
    let plate = members.optional("plate").map { TextPlate(reading: $0, in: scope) }
    self.init(
      text ?? "", font: font ?? .standIn, color: color ?? Self.defaultColor,
      alignment: alignment ?? .natural, outline: outline ?? nil, shadow: shadow ?? nil,
      plate: plate ?? nil)
  }
}

extension LayerFont {
  /// The placeholder for a font that cannot be read.
  fileprivate static let standIn = LayerFont(size: 10)

  fileprivate init(reading node: JSONNode, in scope: LayerScope) {
    self = .standIn
    guard let members = node.object(["family", "weight", "style", "size", "tracking"]) else {
      return
    }
    let family = members.optional("family").map { $0.string() } ?? Self.defaultFamily
    let weight = members.optional("weight").map(Self.weight(reading:)) ?? 400
    let style = members.optional("style").map { $0.choice(of: Style.self) } ?? .normal
    let size = members.required("size")?.length(.even, in: scope)
    self.init(
      family: family ?? Self.defaultFamily, weight: weight ?? 400, style: style ?? .normal,
      size: size ?? Self.standIn.size)
    tracking = members.optional("tracking")?.length(.even, in: scope.with(self)) ?? 0
  }

  private static func weight(reading node: JSONNode) -> Int? {
    guard case .string(let text) = node.value else { return node.integer() }
    if let weight = weights.first(where: { $0.name == text })?.weight { return weight }
    node.refuse(
      "\(node.value.shown) is not a valid weight",
      "choose one of: \(weights.map(\.name).joined(separator: ", ")), or a number from 100 to 1000")
    return nil
  }
}

extension TextOutline {
  fileprivate init?(reading node: JSONNode, in scope: LayerScope) {
    guard let members = node.object(["color", "width"]) else { return nil }
    let color = members.required("color").flatMap(Color.init(reading:))
    let width = members.required("width")?.length(.even, in: scope)
    guard let color, let width else { return nil }
    self.init(color: color, width: width)
  }
}

extension LayerShadow {
  fileprivate init?(reading node: JSONNode, in scope: LayerScope) {
    guard let members = node.object(["color", "opacity", "offset", "radius"]) else { return nil }
    let shadow = LayerShadow()
    let color = members.optional("color").map(Color.init(reading:)) ?? shadow.color
    let opacity = members.optional("opacity").map { $0.number() } ?? shadow.opacity
    let offset =
      members.optional("offset")
      .map { LayerPoint(reading: $0, x: .even, y: .even, in: scope) } ?? shadow.offset
    let radius = members.optional("radius").map { $0.length(.even, in: scope) } ?? shadow.radius
    guard let color, let opacity, let offset, let radius else { return nil }
    self.init(color: color, opacity: opacity, offset: offset, radius: radius)
  }
}

extension TextPlate {
  fileprivate init?(reading node: JSONNode, in scope: LayerScope) {
    guard let members = node.object(["color", "opacity", "padding", "cornerRadius"]) else {
      return nil
    }
    let color = members.required("color").flatMap(Color.init(reading:))
    let opacity = members.optional("opacity").map { $0.number() } ?? 1
    let padding =
      members.optional("padding")
      .map { LayerPoint(reading: $0, x: .even, y: .even, in: scope) } ?? LayerPoint(x: 0, y: 0)
    let radius = members.optional("cornerRadius").map { $0.length(.even, in: scope) } ?? 0
    guard let color, let opacity, let padding, let radius else { return nil }
    self.init(color: color, opacity: opacity, padding: padding, cornerRadius: radius)
  }
}

extension ShapeContent {
  private enum Name: String, CaseIterable {
    case rectangle = "rectangle"
    case ellipse = "ellipse"
    case path = "path"
  }

  fileprivate init(reading members: JSONMembers, in scope: LayerScope) {
    let name = members.required("shape")?.choice(of: Name.self)
    let radius = members.optional("cornerRadius").map { $0.length(.even, in: scope) } ?? 0
    let path = members.optional("path").map { $0.string() }
    let fill = members.optional("fillColor").map(Color.init(reading:))
    let gradient = members.optional("fillGradient").map(ShapeGradient.init(reading:))
    let stroke = members.optional("strokeColor").map(Color.init(reading:))
    let width = members.optional("lineWidth").map { $0.length(.even, in: scope) } ?? 1
    let outline: Outline =
      switch name {
      case .rectangle, nil: .rectangle(cornerRadius: radius ?? 0)
      case .ellipse: .ellipse
      case .path: .path(members.required("path").flatMap { _ in path ?? nil } ?? "")
      }
    self.init(
      outline, fill: fill ?? nil,
      stroke: (stroke ?? nil).map { ShapeStroke(color: $0, width: width ?? 1) },
      gradient: gradient ?? nil)
    guard let name else { return }
    for (key, isMeant) in [
      ("cornerRadius", name == .rectangle), ("path", name == .path),
      ("lineWidth", stroke != nil), ("fillGradient", fill == nil),
    ] {
      guard let node = members.optional(key), !isMeant else { continue }
      let problem =
        switch key {
        case "lineWidth": "\"lineWidth\" has no effect without a \"strokeColor\""
        case "fillGradient": "\"fillColor\" and \"fillGradient\" cannot be used together"
        default:
          "\"\(key)\" does not apply to \(name == .ellipse ? "an" : "a") \(name.rawValue)"
        }
      node.log.note(
        Finding(
          path: node.path, problem: problem,
          remedy: key == "fillGradient" ? "remove one of them" : "remove it"))
    }
  }
}

extension ShapeGradient {
  /// Reads `{"direction": …, "stops": […]}`. Stops without a place are evenly spaced.
  fileprivate init?(reading node: JSONNode) {
    guard let members = node.object(["direction", "stops"]) else { return nil }
    let direction =
      members.optional("direction").map { $0.choice(of: MotionDirection.self) } ?? .down
    guard let nodes = members.required("stops")?.array(), let direction else { return nil }
    let parts = Double(max(nodes.count - 1, 1))
    let stops = nodes.enumerated().map { Stop(reading: $1, defaultPlace: Double($0) / parts) }
    self.init(direction: direction, stops: stops.compactMap(\.self))
    if self.stops.count < stops.count { return nil }
  }
}

extension ShapeGradient.Stop {
  fileprivate init?(reading node: JSONNode, defaultPlace: Double) {
    guard let members = node.object(["color", "opacity", "at"]) else { return nil }
    let color = members.required("color").flatMap(Color.init(reading:))
    let opacity = members.optional("opacity").map { $0.number() } ?? 1
    let place = members.optional("at").map { $0.number() } ?? defaultPlace
    guard let color, let opacity, let place else { return nil }
    self.init(color: color, opacity: opacity, place: place)
  }
}

extension TimecodeContent {
  fileprivate init(reading members: JSONMembers, in scope: LayerScope) {
    let start = members.optional("start").map { $0.string() } ?? "00:00:00:00"
    let rate = members.optional("frameRate").map { $0.time() }
    let drops = members.optional("dropFrame").map { $0.bool() } ?? false
    let font = members.required("font").map { LayerFont(reading: $0, in: scope) }
    let color =
      members.optional("color").map(Color.init(reading:)) ?? TextContent.defaultColor
    self.init(
      start: start ?? "00:00:00:00", frameRate: rate ?? nil, dropsFrames: drops ?? false,
      font: font ?? .standIn, color: color ?? TextContent.defaultColor)
  }
}

extension LayerPoint {
  /// Reads `{"x": …, "y": …}`.
  init?(reading node: JSONNode) {
    guard let members = node.object(["x", "y"]) else { return nil }
    let (x, y) = (members.required("x")?.number(), members.required("y")?.number())
    guard let x, let y else { return nil }
    self.init(x: x, y: y)
  }

  /// Reads one factor for both directions, or `{"x": …, "y": …}`.
  init?(readingScale node: JSONNode) {
    if case .object = node.value {
      self.init(reading: node)
      return
    }
    guard let factor = node.number() else { return nil }
    self.init(x: factor, y: factor)
  }
}
