/// The layout of help: at most 80 columns.
enum HelpLayout {
  private static let width = 80
  /// The longest text of a first column that shares its line with the second.
  private static let longestLabel = 28

  /// Two columns, the second aligned and wrapped. It starts on the next line if the first is long.
  static func columns(_ rows: [(String, String)]) -> [String] {
    let indent = (rows.map(\.0.count).filter { $0 <= longestLabel }.max() ?? 0) + 4
    return rows.flatMap { label, text in
      label.count > longestLabel
        ? ["  " + label] + wrapped(text, indent: indent)
        : wrapped(text, after: "  " + label.padding(to: indent - 2), indent: indent)
    }
  }

  /// The text in lines that are indented by `indent` columns, except for the first if it continues `start`.
  static func wrapped(_ text: String, after start: String? = nil, indent: Int = 0) -> [String] {
    let blank = String(repeating: " ", count: indent)
    var lines = [start ?? blank]
    var isAtStart = true
    for word in text.split(separator: " ") {
      let last = lines.count - 1
      if !isAtStart, lines[last].count + word.count + 1 > width {
        lines.append(blank + word)
      } else {
        lines[last] += (isAtStart ? "" : " ") + word
      }
      isAtStart = false
    }
    return lines
  }

  /// Exit codes as one wrapped paragraph, with an empty line before it.
  static func exitCodes(_ codes: [Definition]) -> [String] {
    guard !codes.isEmpty else { return [] }
    let title = "exit codes: "
    // A no-break space keeps a code with its meaning.
    let text = codes.map { "\($0.term)\u{A0}\($0.meaning)" }.joined(separator: ", ")
    return [""]
      + wrapped(text, after: title, indent: title.count).map { $0.replacing("\u{A0}", with: " ") }
  }

  /// Examples with their title, and an empty line before it.
  static func examples(_ examples: [Example]) -> [String] {
    guard !examples.isEmpty else { return [] }
    return ["", examples.count == 1 ? "example:" : "examples:"]
      + examples.flatMap { example in
        example.line.split(separator: "\n").map { "  \($0)" } + ["      \(example.explanation)"]
      }
  }
}

extension String {
  /// The text with spaces after it up to `count` characters.
  package func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
