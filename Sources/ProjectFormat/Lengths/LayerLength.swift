import Timeline

/// A length of a layer as a project file writes it: a sum of pixels and of terms that depend on the frame or the font,
/// such as `"100% - 2em"`.
struct LayerLength: Hashable, Sendable {
  /// The length that a term is a multiple of.
  enum Unit: String, CaseIterable, Sendable {
    /// A hundredth of the reference area's width or height, or of the frame's smaller side.
    case percent = "%"
    /// A hundredth of the frame's smaller side.
    case smallerSide = "vmin"
    /// The font size of the layer.
    case fontSize = "em"
    case pixel = ""
  }

  /// An exact multiple of a unit.
  struct Term: Hashable, Sendable {
    let factor: RationalTime
    let unit: Unit
  }

  /// The terms to add.
  let terms: [Term]

  /// How to write a length, for remedies.
  static let form = "use pixels, or a length such as \"50%\", \"5vmin\", \"2em\" or \"100% - 2em\""

  /// Parses terms that are joined by ` + ` or ` - `; `nil` if the text is not a length.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count % 2 == 1 else { return nil }
    var terms: [Term] = []
    for place in stride(from: 0, to: words.count, by: 2) {
      guard let term = Term(words[place]) else { return nil }
      switch place == 0 ? "+" : words[place - 1] {
      case "+": terms.append(term)
      case "-":
        guard let factor = try? RationalTime.zero - term.factor else { return nil }
        terms.append(Term(factor: factor, unit: term.unit))
      default: return nil
      }
    }
    self.terms = terms
  }

  /// Whether the length depends on anything but pixels.
  var isRelative: Bool { terms.contains { $0.unit != .pixel } }

  /// Whether one of the terms is a multiple of a unit.
  func uses(_ unit: Unit) -> Bool { terms.contains { $0.unit == unit } }
}

extension LayerLength.Term {
  fileprivate init?(_ text: Substring) {
    guard let unit = LayerLength.Unit.allCases.first(where: { text.hasSuffix($0.rawValue) }),
      let factor = try? RationalTime(String(text.dropLast(unit.rawValue.count)))
    else { return nil }
    self.init(factor: factor, unit: unit)
  }
}
