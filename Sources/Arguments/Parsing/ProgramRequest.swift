/// The action that a command line requests.
package enum ProgramRequest: Sendable {
  /// Print a text: help, completions or the manual page.
  case print(String)
  /// Run a command.
  case run(ParsedArguments)
}

extension ProgramSyntax {
  /// Parses the arguments after the program's name.
  ///
  /// A request for help precedes everything else that is wrong.
  package func request(_ arguments: [String]) throws(UsageError) -> ProgramRequest {
    if arguments.first == "help" {
      return .print(try help(on: Array(arguments.dropFirst())))
    }
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
    guard let command = command(arguments) else {
      if asksForHelp, let first = arguments.first {
        return .print(try help(on: first.hasPrefix("-") ? [] : [first]))
      }
      throw unknown(arguments)
    }
    if asksForHelp { return .print(command.helpText) }
    let parsed = try ParsedArguments(
      arguments.dropFirst(command.words.count), syntax: command)
    switch command.name {
    case Self.manualPageName: return .print(manualPage)
    case Self.completionsName:
      guard let shell = Shell(rawValue: parsed.operand) else {
        throw UsageError(
          "SHELL must be one of \(Shell.allCases.map(\.rawValue).joined(separator: ", "))",
          on: "\"\(parsed.operand)\"", command: command.invocation)
      }
      return .print(completions(for: shell))
    default: return .run(parsed)
    }
  }

  /// The command that the arguments begin with: the longest match.
  private func command(_ arguments: [String]) -> CommandSyntax? {
    commands.filter { arguments.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  private func help(on words: [String]) throws(UsageError) -> String {
    if words.isEmpty { return helpText }
    if words.count == 1, families.contains(words[0]) { return helpText(ofFamily: words[0]) }
    guard let command = command(words), !command.words.isEmpty else { throw unknown(words) }
    return command.helpText
  }

  private func unknown(_ arguments: [String]) -> UsageError {
    let words = arguments.prefix { !$0.hasPrefix("-") }
    guard let first = arguments.first else {
      return UsageError("missing command", on: name, command: name)
    }
    guard families.contains(first) else {
      // The text after `=` may be a misplaced token.
      let written = first.prefix { $0 != "=" }
      return UsageError("unknown command", on: String(written), command: name)
    }
    let family = "\(name) \(first)"
    return words.count < 2
      ? UsageError("missing command", on: family, command: family)
      : UsageError(
        "unknown command", on: words.prefix(2).joined(separator: " "), command: family)
  }
}
