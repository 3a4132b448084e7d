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
    if let version, arguments.first == Self.versionOption { return .print("\(name) \(version)") }
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
          on: "\"\(parsed.operand)\"", command: command.invocation,
          suggesting: Suggestion.nearest(
            to: parsed.operand, among: Shell.allCases.map(\.rawValue)))
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
      let written = String(first.prefix { $0 != "=" })
      let known = firstWords.map(\.word) + (version == nil ? [] : [Self.versionOption])
      return UsageError(
        "unknown command", on: written, command: name,
        suggesting: Suggestion.nearest(to: written, among: known))
    }
    let family = "\(name) \(first)"
    return words.count < 2
      ? UsageError("missing command", on: family, command: family)
      : UsageError(
        "unknown command", on: words.prefix(2).joined(separator: " "), command: family,
        suggesting: Suggestion.nearest(
          to: words[words.startIndex + 1], among: members(of: first).map(\.word)
        ).map { "\(first) \($0)" })
  }
}
