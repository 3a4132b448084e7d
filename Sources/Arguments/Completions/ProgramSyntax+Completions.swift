extension ProgramSyntax {
  /// The script with which a shell completes the program's command lines, without a line feed at its end.
  package func completions(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletions(self).script
    case .zsh: ZshCompletions(self).script
    case .fish: FishCompletions(self).script
    }
  }

  /// The second words of a family of commands, with the commands.
  func members(of family: String) -> [(word: String, command: CommandSyntax)] {
    commands.filter { $0.words.count > 1 && $0.words[0] == family }.map { ($0.words[1], $0) }
  }

  /// The words that can begin a command line: commands and families of commands, with their descriptions.
  var firstWords: [(word: String, summary: String)] {
    var words: [(word: String, summary: String)] = []
    for command in subcommands {
      let first = command.words[0]
      guard !words.contains(where: { $0.word == first }) else { continue }
      let members = members(of: first).map(\.word)
      words.append((first, members.isEmpty ? command.summary : members.joined(separator: ", ")))
    }
    return words + (main == nil ? [("help", "Print help")] : [])
  }
}

extension String {
  /// The text as one word of a shell.
  var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
