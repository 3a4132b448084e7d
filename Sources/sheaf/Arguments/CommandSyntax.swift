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
  /// Whole command lines to imitate, with what each does.
  package var examples: [Example]

  /// A command line to imitate.
  package struct Example: Hashable, Sendable {
    /// The command line.
    package var line: String
    /// The description of an example.
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

  /// The text of `--help`, without a line feed at its end.
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

  /// Two columns, the second aligned and wrapped to 100 characters.
  static func columns(_ rows: [(String, String)]) -> [String] {
    let width = (rows.map(\.0.count).max() ?? 0) + 4
    return rows.flatMap { row in
      var lines = ["  " + row.0.padding(to: width - 2)]
      for word in row.1.split(separator: " ") {
        let last = lines.count - 1
        if lines[last].count + word.count + 1 > 98 {
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
