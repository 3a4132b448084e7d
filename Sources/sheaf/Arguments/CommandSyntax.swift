/// The syntax of a subcommand, from which its help and its parsing are derived.
package struct CommandSyntax: Hashable, Sendable {
  /// The subcommand's name.
  package var name: String
  /// A description of the subcommand, in one sentence without a full stop.
  package var summary: String
  /// The operand, if it takes one.
  package var operand: Operand?
  /// Its options; `--help` is added to each.
  package var options: [OptionDeclaration]
  /// Example command lines, each with an explanation.
  package var examples: [Example]

  /// An example command line.
  package struct Example: Hashable, Sendable {
    /// The command line.
    package var line: String
    /// A description of its effect, in one sentence without a full stop.
    package var explanation: String

    /// Creates an example.
    package init(_ line: String, _ explanation: String) {
      self.line = line
      self.explanation = explanation
    }
  }

  /// Creates a syntax.
  package init(
    name: String, summary: String, operand: Operand? = nil, options: [OptionDeclaration],
    examples: [Example]
  ) {
    self.name = name
    self.summary = summary
    self.operand = operand
    self.options = options + [Self.help.declaration]
    self.examples = examples
  }

  /// The flag that every subcommand has.
  package static let help = Flag("help", letter: "h", help: "Print this help")

  /// The text of `--help`, at most 80 columns wide, without a line feed at its end.
  package var helpText: String {
    var lines = [summary + ".", "", "usage: sheaf \(usage)", ""]
    if let operand {
      lines += Self.columns([(operand.placeholder, operand.help)]) + [""]
    }
    lines.append("options:")
    lines += Self.columns(options.map { ($0.signature, $0.help) })
    lines += ["", examples.count == 1 ? "example:" : "examples:"]
    for example in examples {
      lines += ["  \(example.line)", "      \(example.explanation)"]
    }
    return lines.joined(separator: "\n")
  }

  private var usage: String {
    ([name, operand?.signature, "[options]"] as [String?]).compactMap { $0 }.joined(separator: " ")
  }

  /// The longest text of a first column that shares its line with the second.
  private static let longestLabel = 28

  /// Two columns, the second aligned and wrapped to 80 characters. It starts on the next line if the first is long.
  static func columns(_ rows: [(String, String)]) -> [String] {
    let width = (rows.map(\.0.count).filter { $0 <= longestLabel }.max() ?? 0) + 4
    return rows.flatMap { row in
      var lines = ["  " + row.0.padding(to: width - 2)]
      if row.0.count > longestLabel { lines.append(String(repeating: " ", count: width)) }
      for word in row.1.split(separator: " ") {
        let last = lines.count - 1
        if lines[last].count + word.count + 1 > 80 {
          lines.append(String(repeating: " ", count: width) + word)
        } else {
          lines[last] += (lines[last].count == width ? "" : " ") + word
        }
      }
      return lines
    }
  }
}

extension String {
  /// The text with spaces after it up to `count` characters.
  func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - self.count))
  }
}
