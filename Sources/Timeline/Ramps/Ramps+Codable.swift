extension Ramps: Codable {
  /// Encodes the pieces as a list.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(pieces)
  }

  /// Decodes a list of pieces.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Piece].self))
  }
}

extension Ramps.Piece: Codable {
  private enum CodingKeys: String, CodingKey { case at, value, timeRange, from, to, timingFunction }

  /// Encodes `{"at", "value"}` or `{"timeRange", "from", "to"}`, with a `timingFunction` unless it is linear.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .step(let at, let value):
      try container.encode(at, forKey: .at)
      try container.encode(value, forKey: .value)
    case .ramp(let timeRange, let from, let to, let timing):
      try container.encode(timeRange, forKey: .timeRange)
      try container.encode(from, forKey: .from)
      try container.encode(to, forKey: .to)
      if timing != .linear { try container.encode(timing, forKey: .timingFunction) }
    }
  }

  /// Decodes a step if there is an `at`, or else a ramp.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let at = try container.decodeIfPresent(RationalTime.self, forKey: .at) {
      self = .step(at: at, value: try container.decode(Value.self, forKey: .value))
    } else {
      self = .ramp(
        timeRange: try container.decode(TimeRange.self, forKey: .timeRange),
        from: try container.decode(Value.self, forKey: .from),
        to: try container.decode(Value.self, forKey: .to),
        timingFunction: try container.decodeIfPresent(
          TimingFunction.self, forKey: .timingFunction) ?? .linear)
    }
  }
}
