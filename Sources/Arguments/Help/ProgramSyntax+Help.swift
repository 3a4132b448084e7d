extension ProgramSyntax {
  /// The text of the program's `--help`, at most 80 columns wide, without a line feed at its end.
  package var helpText: String {
    if let main { return main.helpText }
    var lines = HelpLayout.wrapped(summary + ".") + ["", "usage: \(name) COMMAND [options]"]
    for paragraph in details { lines += [""] + HelpLayout.wrapped(paragraph) }
    lines += ["", "commands:"] + HelpLayout.columns(commands.map { ($0.name, $0.summary) })
    lines += ["", "Run `\(name) COMMAND --help` for more about a command."]
    if version != nil { lines.append("Run `\(name) \(Self.versionOption)` to print the version.") }
    lines += HelpLayout.exitCodes(exitCodes) + HelpLayout.examples(examples)
    return lines.joined(separator: "\n")
  }

  /// The help of a family of commands, such as `token`.
  func helpText(ofFamily family: String) -> String {
    let members = commands.filter { $0.words.count > 1 && $0.words[0] == family }
    let lines =
      ["usage: \(name) \(family) COMMAND [options]", "", "commands:"]
      + HelpLayout.columns(members.map { ($0.name, $0.summary) })
      + ["", "Run `\(name) \(family) COMMAND --help` for more about a command."]
      + HelpLayout.examples(Array(members.flatMap(\.examples).prefix(1)))
    return lines.joined(separator: "\n")
  }
}
