import FarmAPI

/// A line of text in colors.
package struct StyledLine: Hashable, Sendable {
  /// A color or weight, by the number of its control sequence (SGR in ECMA-48).
  package enum Style: Int, Hashable, Sendable {
    case plain = 0
    case bold = 1
    case faint = 2
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case cyan = 36
  }

  /// Text in one style.
  package struct Part: Hashable, Sendable {
    package var text: PrintableText
    package var style: Style
  }

  /// The parts, from left to right.
  package private(set) var parts: [Part] = []

  /// Creates an empty line.
  package init() {}

  package init(_ text: String, _ style: Style = .plain) { add(text, style) }

  /// Adds text at the end.
  package mutating func add(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    if let last = parts.last, last.style == style {
      parts[parts.count - 1].text = PrintableText(last.text.description + text)
    } else {
      parts.append(Part(text: PrintableText(text), style: style))
    }
  }

  /// The width in columns.
  package var columns: Int { parts.reduce(0) { $0 + $1.text.columns } }

  /// The text alone.
  package var text: String { parts.map(\.text.description).joined() }

  /// The beginning that fits in a number of columns.
  package func prefix(columns limit: Int) -> StyledLine {
    var line = StyledLine()
    var left = limit
    for part in parts where left > 0 {
      let text = part.text.prefix(columns: left)
      line.add(text, part.style)
      left -= PrintableText(text).columns
      if text.utf8.count < part.text.description.utf8.count { break }
    }
    return line
  }

  /// The line as a terminal shows it: with control sequences for its styles if `hasColor`.
  package func rendered(hasColor: Bool) -> String {
    guard hasColor else { return text }
    return parts.map { part in
      part.style == .plain
        ? part.text.description : "\u{1b}[\(part.style.rawValue)m\(part.text)\u{1b}[0m"
    }.joined()
  }
}
