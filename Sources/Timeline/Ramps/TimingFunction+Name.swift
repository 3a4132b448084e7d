extension TimingFunction {
  /// The named curves of the project file.
  package static let named: [(name: String, function: TimingFunction)] =
    easings + [("equalPowerRise", .equalPowerRise), ("equalPowerFall", .equalPowerFall)]

  /// The named curves for video, as used by transitions of a sequence.
  package static let easings: [(name: String, function: TimingFunction)] = [
    ("linear", .linear), ("easeIn", .easeIn), ("easeOut", .easeOut),
    ("easeInEaseOut", .easeInEaseOut), ("default", .default),
  ]
}

extension TimingFunction: Codable {
  /// Encodes the name, or `[x1, y1, x2, y2]` for a curve without one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let name = Self.named.first(where: { $0.function == self })?.name {
      try container.encode(name)
    } else if case .cubicBezier(let x1, let y1, let x2, let y2) = self {
      try container.encode([x1, y1, x2, y2])
    }
  }

  /// Decodes a name or four numbers.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      guard let function = Self.named.first(where: { $0.name == name })?.function else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\"\(name)\" is not a timing function")
      }
      self = function
      return
    }
    let numbers = try container.decode([Double].self)
    guard numbers.count == 4 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a timing function is four numbers: [x1, y1, x2, y2]")
    }
    self = .cubicBezier(x1: numbers[0], y1: numbers[1], x2: numbers[2], y2: numbers[3])
  }
}
