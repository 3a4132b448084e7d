/// The troff source of a manual page, with the `man` macros.
struct ManualPage {
  private var output: [String]

  init(title: String, version: String?) {
    let source = "Sheaf" + (version.map { " \($0)" } ?? "")
    output = [
      ".TH \(Self.escaped(title.uppercased())) 1 \"\" \"\(Self.escaped(source))\" \"Sheaf\""
    ]
  }

  /// The source, without a line feed at its end.
  var source: String { output.joined(separator: "\n") }

  mutating func section(_ title: String) { output.append(".SH \(title)") }

  mutating func subsection(_ title: String) { output.append(".SS \"\(Self.escaped(title))\"") }

  /// A line of text.
  mutating func text(_ text: String) { output.append(Self.line(text)) }

  mutating func paragraph(_ text: String) { output += [".PP", Self.line(text)] }

  /// Lines that are not filled.
  mutating func lines(_ lines: [String]) {
    output.append(".nf")
    for line in lines.flatMap({ $0.split(separator: "\n") }) { text(String(line)) }
    output.append(".fi")
  }

  mutating func term(_ term: String, _ meaning: String) {
    output += [".TP", ".B \(Self.escaped(term))", Self.line(meaning)]
  }

  /// The operand and the options of a command.
  mutating func arguments(of command: CommandSyntax, section: Bool) {
    if let operand = command.operand { term(operand.placeholder, operand.help) }
    for (number, group) in command.groups.enumerated() {
      if section {
        self.section(group.title.uppercased())
      } else if number > 0 {
        paragraph(group.title.prefix(1).uppercased() + group.title.dropFirst() + ":")
      }
      for option in group.options where section || option != CommandSyntax.help.declaration {
        term(option.signature.trimmingPrefix(#/ +/#).description, option.help)
      }
    }
  }

  /// The exit codes of a command that has its own.
  mutating func exitCodes(_ codes: [Definition]) {
    guard !codes.isEmpty else { return }
    paragraph("Exit codes: " + codes.map { "\($0.term) \($0.meaning)" }.joined(separator: ", "))
  }

  /// Examples, each with its explanation above it.
  mutating func examples(_ examples: [Example]) {
    for example in examples {
      paragraph(example.explanation + ":")
      output += [".RS 4"]
      lines([example.line])
      output += [".RE"]
    }
  }

  /// A line of text that does not begin a request.
  private static func line(_ text: String) -> String {
    let line = escaped(text)
    return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// The text with troff's special characters escaped, and with code between backticks in bold.
  private static func escaped(_ text: String) -> String {
    var isCode = false
    return text.map { character in
      switch character {
      case "\\": return "\\e"
      case "-": return "\\-"
      case "'": return "\\(aq"
      case "^": return "\\(ha"
      case "~": return "\\(ti"
      case "\"": return "\\(dq"
      case "`":
        isCode.toggle()
        return isCode ? "\\fB" : "\\fR"
      default: return String(character)
      }
    }.joined()
  }
}
