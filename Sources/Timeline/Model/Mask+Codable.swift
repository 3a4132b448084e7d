extension Mask: Encodable {
  private enum CodingKeys: String, CodingKey { case shape, direction, map, softness, progress }

  /// Encodes `shape` or `map`, and the values that differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch shape {
    case .circle: try container.encode("circle", forKey: .shape)
    case .clock: try container.encode("clock", forKey: .shape)
    case .edge(let direction):
      try container.encode("edge", forKey: .shape)
      try container.encode(direction, forKey: .direction)
    case .map(let asset): try container.encode(asset, forKey: .map)
    }
    if softness != 0 { try container.encode(softness, forKey: .softness) }
    if !progress.pieces.isEmpty { try container.encode(progress, forKey: .progress) }
  }
}

extension Backdrop: Codable {
  private enum CodingKeys: String, CodingKey { case rect, blur, color }

  /// Encodes `rect`, and `blur` or `color`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(rect, forKey: .rect)
    switch fill {
    case .blur(let sigma): try container.encode(sigma, forKey: .blur)
    case .color(let color): try container.encode(color.description, forKey: .color)
    }
  }

  /// Decodes what ``encode(to:)`` encodes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let rect = try container.decode(PixelRect.self, forKey: .rect)
    if let sigma = try container.decodeIfPresent(Double.self, forKey: .blur) {
      self.init(rect: rect, fill: .blur(sigma: sigma))
      return
    }
    guard let color = Color(try container.decode(String.self, forKey: .color)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .color, in: container, debugDescription: "a color is \"#rrggbb\"")
    }
    self.init(rect: rect, fill: .color(color))
  }
}
