/// A color whose JSON is `"#rrggbb"`.
struct ColorText: Codable {
  let color: Color

  init(_ color: Color) { self.color = color }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(color.description)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let color = Color(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a color is \"#rrggbb\"")
    }
    self.color = color
  }
}

/// The keys of a layer, which a project file has, and of its content, which a request to draw it also has.
private enum LayerKey: String, CodingKey {
  case type, position, anchorPoint, bounds, scale, rotation, transform, zPosition, masksToBounds
  case opacity, timeRange, animations, contentsGravity
  case asset, text, font, color, alignment, outline, shadow, width, offset, radius
  case family, weight, style, size, tracking, plate, padding
  case shape, cornerRadius, path, fillColor, fillGradient, strokeColor, lineWidth, layers
  case at
  case start, frameRate, dropFrame
  case property, values, from, to, keyTimes, timingFunctions, calculationMode, timingFunction
  case beginTime, duration, repeatCount, autoreverses, fillMode
}

extension AnimationLayer: Encodable {
  /// Encodes the values that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    try content.encode(to: encoder)
    var container = encoder.container(keyedBy: LayerKey.self)
    let plain = AnimationLayer(content)
    try container.encodeIfPresent(position, forKey: .position)
    if anchorPoint != plain.anchorPoint { try container.encode(anchorPoint, forKey: .anchorPoint) }
    try container.encodeIfPresent(bounds, forKey: .bounds)
    if scale != plain.scale { try container.encode(scale, forKey: .scale) }
    if rotation != 0 { try container.encode(rotation, forKey: .rotation) }
    if transform != .identity { try container.encode(transform, forKey: .transform) }
    if zPosition != 0 { try container.encode(zPosition, forKey: .zPosition) }
    if masksToBounds { try container.encode(true, forKey: .masksToBounds) }
    if opacity != 1 { try container.encode(opacity, forKey: .opacity) }
    try container.encodeIfPresent(timeRange, forKey: .timeRange)
    if contentsGravity != plain.contentsGravity {
      try container.encode(contentsGravity, forKey: .contentsGravity)
    }
    if !animations.isEmpty { try container.encode(animations, forKey: .animations) }
  }
}

extension LayerContent: Codable {
  /// Encodes the type and its keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(kind, forKey: .type)
    switch self {
    case .image(let asset): try container.encode(asset, forKey: .asset)
    case .text(let text): try text.encode(to: encoder)
    case .shape(let shape): try shape.encode(to: encoder)
    case .solid(let color): try container.encode(ColorText(color), forKey: .color)
    case .group(let layers): try container.encode(layers, forKey: .layers)
    case .video: break
    case .timecode(let timecode): try timecode.encode(to: encoder)
    }
  }

  /// Decodes content that ``encode(to:)`` wrote. Groups are not supported, because their layers are read with the file.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    switch try container.decode(Kind.self, forKey: .type) {
    case .image: self = .image(asset: try container.decode(String.self, forKey: .asset))
    case .text: self = .text(try TextContent(from: decoder))
    case .shape: self = .shape(try ShapeContent(from: decoder))
    case .solid: self = .solid(try container.decode(ColorText.self, forKey: .color).color)
    case .video: self = .video
    case .timecode: self = .timecode(try TimecodeContent(from: decoder))
    case .group:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "a group has no picture of its own")
    }
  }
}

extension TextContent: Codable {
  /// Encodes the values that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(text, forKey: .text)
    try container.encode(font, forKey: .font)
    try container.encode(ColorText(color), forKey: .color)
    if alignment != .natural { try container.encode(alignment, forKey: .alignment) }
    try container.encodeIfPresent(outline, forKey: .outline)
    try container.encodeIfPresent(shadow, forKey: .shadow)
    try container.encodeIfPresent(plate, forKey: .plate)
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      try container.decode(String.self, forKey: .text),
      font: try container.decode(LayerFont.self, forKey: .font),
      color: try container.decode(ColorText.self, forKey: .color).color,
      alignment: try container.decodeIfPresent(Alignment.self, forKey: .alignment) ?? .natural,
      outline: try container.decodeIfPresent(TextOutline.self, forKey: .outline),
      shadow: try container.decodeIfPresent(LayerShadow.self, forKey: .shadow),
      plate: try container.decodeIfPresent(TextPlate.self, forKey: .plate))
  }
}

extension LayerFont: Codable {
  /// Encodes `{"family", "weight", "style", "size"}`, and the tracking if there is any.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(family, forKey: .family)
    try container.encode(weight, forKey: .weight)
    try container.encode(style, forKey: .style)
    try container.encode(size, forKey: .size)
    if tracking != 0 { try container.encode(tracking, forKey: .tracking) }
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      family: try container.decode(String.self, forKey: .family),
      weight: try container.decode(Int.self, forKey: .weight),
      style: try container.decode(Style.self, forKey: .style),
      size: try container.decode(Double.self, forKey: .size),
      tracking: try container.decodeIfPresent(Double.self, forKey: .tracking) ?? 0)
  }
}

extension TextPlate: Codable {
  /// Encodes `{"color", "opacity", "padding", "cornerRadius"}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(ColorText(color), forKey: .color)
    try container.encode(opacity, forKey: .opacity)
    try container.encode(padding, forKey: .padding)
    try container.encode(cornerRadius, forKey: .cornerRadius)
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      color: try container.decode(ColorText.self, forKey: .color).color,
      opacity: try container.decode(Double.self, forKey: .opacity),
      padding: try container.decode(LayerPoint.self, forKey: .padding),
      cornerRadius: try container.decode(Double.self, forKey: .cornerRadius))
  }
}

extension TextOutline: Codable {
  /// Encodes `{"color", "width"}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(ColorText(color), forKey: .color)
    try container.encode(width, forKey: .width)
  }

  /// Decodes `{"color", "width"}`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      color: try container.decode(ColorText.self, forKey: .color).color,
      width: try container.decode(Double.self, forKey: .width))
  }
}

extension LayerShadow: Codable {
  /// Encodes `{"color", "opacity", "offset", "radius"}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(ColorText(color), forKey: .color)
    try container.encode(opacity, forKey: .opacity)
    try container.encode(offset, forKey: .offset)
    try container.encode(radius, forKey: .radius)
  }

  /// Decodes `{"color", "opacity", "offset", "radius"}`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      color: try container.decode(ColorText.self, forKey: .color).color,
      opacity: try container.decode(Double.self, forKey: .opacity),
      offset: try container.decode(LayerPoint.self, forKey: .offset),
      radius: try container.decode(Double.self, forKey: .radius))
  }
}

extension ShapeContent: Codable {
  /// Encodes the name of the outline and the colors that are set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    switch outline {
    case .rectangle(let radius):
      try container.encode("rectangle", forKey: .shape)
      if radius != 0 { try container.encode(radius, forKey: .cornerRadius) }
    case .ellipse: try container.encode("ellipse", forKey: .shape)
    case .path(let path):
      try container.encode("path", forKey: .shape)
      try container.encode(path, forKey: .path)
    }
    try container.encodeIfPresent(fill.map(ColorText.init), forKey: .fillColor)
    try container.encodeIfPresent(gradient, forKey: .fillGradient)
    if let stroke {
      try container.encode(ColorText(stroke.color), forKey: .strokeColor)
      try container.encode(stroke.width, forKey: .lineWidth)
    }
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    let outline: Outline =
      switch try container.decode(String.self, forKey: .shape) {
      case "ellipse": .ellipse
      case "path": .path(try container.decode(String.self, forKey: .path))
      default:
        .rectangle(
          cornerRadius: try container.decodeIfPresent(Double.self, forKey: .cornerRadius) ?? 0)
      }
    let stroke = try container.decodeIfPresent(ColorText.self, forKey: .strokeColor)?.color
    self.init(
      outline, fill: try container.decodeIfPresent(ColorText.self, forKey: .fillColor)?.color,
      stroke: try stroke.map {
        ShapeStroke(color: $0, width: try container.decode(Double.self, forKey: .lineWidth))
      },
      gradient: try container.decodeIfPresent(ShapeGradient.self, forKey: .fillGradient))
  }
}

extension ShapeGradient.Stop: Codable {
  /// Encodes `{"color", "opacity", "at"}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(ColorText(color), forKey: .color)
    try container.encode(opacity, forKey: .opacity)
    try container.encode(place, forKey: .at)
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      color: try container.decode(ColorText.self, forKey: .color).color,
      opacity: try container.decode(Double.self, forKey: .opacity),
      place: try container.decode(Double.self, forKey: .at))
  }
}

extension TimecodeContent: Codable {
  /// Encodes the values that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(start, forKey: .start)
    try container.encodeIfPresent(frameRate, forKey: .frameRate)
    if dropsFrames { try container.encode(true, forKey: .dropFrame) }
    try container.encode(font, forKey: .font)
    try container.encode(ColorText(color), forKey: .color)
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: LayerKey.self)
    self.init(
      start: try container.decode(String.self, forKey: .start),
      frameRate: try container.decodeIfPresent(RationalTime.self, forKey: .frameRate),
      dropsFrames: try container.decodeIfPresent(Bool.self, forKey: .dropFrame) ?? false,
      font: try container.decode(LayerFont.self, forKey: .font),
      color: try container.decode(ColorText.self, forKey: .color).color)
  }
}

extension LayerAnimation: Encodable {
  /// Encodes the values that differ from their defaults. A basic animation has `from` and `to`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: LayerKey.self)
    try container.encode(property, forKey: .property)
    if values.count == 2, keyTimes == nil, timingFunctions == nil, !isDiscrete {
      try container.encode(values[0], forKey: .from)
      try container.encode(values[1], forKey: .to)
    } else {
      try container.encode(values, forKey: .values)
      try container.encodeIfPresent(keyTimes, forKey: .keyTimes)
      try container.encodeIfPresent(timingFunctions, forKey: .timingFunctions)
      if isDiscrete { try container.encode("discrete", forKey: .calculationMode) }
    }
    if timingFunction != .linear { try container.encode(timingFunction, forKey: .timingFunction) }
    if beginTime != .zero { try container.encode(beginTime, forKey: .beginTime) }
    try container.encode(duration, forKey: .duration)
    if repeatCount == .infinity {
      try container.encode("forever", forKey: .repeatCount)
    } else if repeatCount != 1 {
      try container.encode(repeatCount, forKey: .repeatCount)
    }
    if autoreverses { try container.encode(true, forKey: .autoreverses) }
    if fillMode != .removed { try container.encode(fillMode, forKey: .fillMode) }
  }
}

extension LayerValue: Encodable {
  /// Encodes a number, a point, a rectangle or `"#rrggbb"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .point(let point): try container.encode(point)
    case .rect(let rect): try container.encode(rect)
    case .color(let color): try container.encode(color.rounded.description)
    }
  }
}
