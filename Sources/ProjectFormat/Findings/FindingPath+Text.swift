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
  /// Decodes a path from its text. Text in another form is kept as it is.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self.init(Component.list(shownAs: text))
    if description != text { self.init([.text(text)]) }
  }

  /// Encodes the path as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
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
