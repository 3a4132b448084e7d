/// Completions for fish.
struct FishCompletions {
  private let program: ProgramSyntax

  init(_ program: ProgramSyntax) { self.program = program }

  var script: String {
    var lines = [
      "# Completes \(program.name) in fish. Printed by `\(program.name) completions fish`.",
      "complete -c \(program.name) -f",
    ]
    for (word, summary) in program.firstWords {
      lines.append(line("__fish_use_subcommand", "-a \(word)", summary))
    }
    for family in program.families {
      let members = program.members(of: family)
      let words = members.map(\.word).joined(separator: " ")
      for (word, command) in members {
        lines.append(
          line(
            "__fish_seen_subcommand_from \(family); and not __fish_seen_subcommand_from \(words)",
            "-a \(word)", command.summary))
      }
    }
    for command in program.commands {
      let condition = condition(command)
      lines += command.options.map { line(condition, Self.form($0), $0.help) }
      if let operand = command.operand {
        let value = Self.value(operand.kind)
        if !value.isEmpty { lines.append(line(condition, value, operand.help)) }
      }
    }
    return lines.joined(separator: "\n")
  }

  private func condition(_ command: CommandSyntax) -> String {
    guard !command.words.isEmpty else {
      let names = program.subcommands.map(\.name).joined(separator: " ")
      return "not __fish_seen_subcommand_from \(names)"
    }
    return command.words.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
  }

  private func line(_ condition: String, _ form: String, _ text: String) -> String {
    "complete -c \(program.name) -n \(Self.quoted(condition)) \(form) -d \(Self.quoted(text))"
  }

  /// The option's names and value.
  private static func form(_ option: OptionDeclaration) -> String {
    let names = (option.letter.map { "-s \($0) " } ?? "") + "-l \(option.name)"
    guard option.placeholder != nil else { return names }
    let value = value(option.kind)
    return names + (value.isEmpty ? " -x" : " -r \(value)")
  }

  private static func value(_ kind: ValueKind) -> String {
    switch kind {
    case .text: ""
    case .file: "-F"
    case .directory: "-f -a '(__fish_complete_directories)'"
    case .choice(let words): "-f -a \(quoted(words.joined(separator: " ")))"
    }
  }

  /// The text as one word of fish, in which a backslash escapes within single quotes.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
