extension Instruction: Encodable {
  private enum CodingKeys: String, CodingKey {
    case timeRange, backgroundColor, enablePostProcessing, layers
  }

  /// Encodes the color as `#rrggbb`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(timeRange, forKey: .timeRange)
    try container.encode(backgroundColor.description, forKey: .backgroundColor)
    try container.encode(enablePostProcessing, forKey: .enablePostProcessing)
    try container.encode(layers, forKey: .layers)
  }
}
