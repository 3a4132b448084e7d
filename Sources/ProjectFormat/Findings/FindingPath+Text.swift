extension FindingPath: ExpressibleByStringInterpolation {
  /// Collects the components of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var components: [Component] = []

    /// Starts an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends keys and indexes as they are shown, e.g. `.segments[0]`.
    public mutating func appendLiteral(_ literal: String) {
      components += Component.list(shownAs: literal)
    }

    /// Appends a path.
    public mutating func appendInterpolation(_ path: FindingPath) {
      components += path.components
    }

    /// Appends a key.
    public mutating func appendInterpolation(_ key: String) { components.append(.key(key)) }

    /// Appends an index.
    public mutating func appendInterpolation(_ index: Int) { components.append(.index(index)) }
  }

  /// Creates a path from its parts.
  public init(stringInterpolation: StringInterpolation) {
    self.init(stringInterpolation.components)
  }

  /// Creates a path without interpolated parts.
  public init(stringLiteral literal: String) { self.init(Component.list(shownAs: literal)) }
}

extension FindingPath: Codable {
  /// Decodes the steps.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Component].self))
  }

  /// Encodes the steps as a list of keys and indexes, so that a key may have any characters.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(components)
  }
}

extension FindingPath.Component: Codable {
  /// The member of the object that stands for text that names no value.
  private enum Member: String, CodingKey { case text = "text" }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let index = try? value.decode(Int.self) {
      self = .index(index)
    } else if let key = try? value.decode(String.self) {
      self = .key(key)
    } else {
      self = .text(try decoder.container(keyedBy: Member.self).decode(String.self, forKey: .text))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .index(let index):
      var container = encoder.singleValueContainer()
      try container.encode(index)
    case .key(let key):
      var container = encoder.singleValueContainer()
      try container.encode(key)
    case .text(let text):
      var container = encoder.container(keyedBy: Member.self)
      try container.encode(text, forKey: .text)
    }
  }
}

extension FindingPath.Component {
  /// Reads components from text. A bracket or a dot may also begin or end the text, where an interpolated part follows
  /// or precedes it.
  fileprivate static func list(shownAs text: String) -> [Self] {
    var components: [Self] = []
    var rest = text[...]
    while let first = rest.first {
      if first == "[", rest.hasPrefix("[\""), let end = rest.firstRange(of: "\"]") {
        components.append(.key(String(rest[..<end.lowerBound].dropFirst(2))))
        rest = rest[end.upperBound...]
      } else if first == "." || first == "[" || first == "]" {
        rest = rest.dropFirst()
        let digits = first == "[" ? rest.prefix { $0 != "]" } : ""
        guard let index = Int(digits) else { continue }
        components.append(.index(index))
        rest = rest[digits.endIndex...]
      } else {
        let key = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
        components.append(.key(String(key)))
        rest = rest[key.endIndex...]
      }
    }
    return components
  }
}
