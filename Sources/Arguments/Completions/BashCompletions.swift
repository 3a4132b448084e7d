/// Completions for bash, which need nothing but bash.
struct BashCompletions {
  private let program: ProgramSyntax

  init(_ program: ProgramSyntax) { self.program = program }

  var script: String {
    let function = "_" + program.name.replacing("-", with: "_")
    return """
      # Completes \(program.name) in bash. Printed by `\(program.name) completions bash`.
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=''
        # bash takes the equals sign of --name=value for a word.
        if [[ $current == = ]]; then
          current=''
        elif [[ $previous == = ]] && ((COMP_CWORD > 2)); then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        fi
        COMPREPLY=()
      \(commandChoice)
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      }
      complete -F \(function) \(program.name)
      """
  }

  /// Sets `command` to the command's words.
  private var commandChoice: String {
    let pairs = program.subcommands.filter { $0.words.count > 1 }.map(\.name.shellQuoted)
    let firsts = program.firstWords.map(\.word.shellQuoted).joined(separator: "|")
    let single = """
        if [[ -z $command ]] && ((COMP_CWORD > 1)); then
          case ${COMP_WORDS[1]} in
            \(firsts)) command=${COMP_WORDS[1]} ;;
          esac
        fi
      """
    guard !pairs.isEmpty else { return single }
    return """
        if ((COMP_CWORD > 2)); then
          case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
            \(pairs.joined(separator: "|"))) command="${COMP_WORDS[1]} ${COMP_WORDS[2]}" ;;
          esac
        fi

      """ + single
  }

  private var cases: [String] {
    let firsts = program.firstWords.map(\.word)
    var cases = program.subcommands.map { entry($0.name, completing($0)) }
    for family in program.families {
      cases.append(entry(family, [Self.words(program.members(of: family).map(\.word))]))
    }
    if let main = program.main {
      cases.append(entry("", completing(main, or: firsts)))
    } else {
      cases.append(entry("help", [Self.words(firsts.filter { $0 != "help" })]))
      cases.append(
        entry("", [Self.words(firsts + ["--help"] + (program.version == nil ? [] : ["--version"]))])
      )
    }
    return cases
  }

  private func entry(_ command: String, _ lines: [String]) -> String {
    (["    \(command.shellQuoted))"] + lines.map { "      \($0)" } + ["      ;;"])
      .joined(separator: "\n")
  }

  /// The lines that complete the arguments of a command, and before any other argument one of `words`.
  private func completing(_ command: CommandSyntax, or words: [String] = []) -> [String] {
    var lines = ["case $previous in"]
    for option in command.options where option.placeholder != nil {
      let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
      lines.append("  \(names.joined(separator: "|"))) \(Self.value(option.kind)); return ;;")
    }
    lines.append("esac")
    let names = command.options.flatMap { option in
      (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
    }
    lines += ["if [[ $current == -* ]]; then", "  \(Self.words(names))", "  return", "fi"]
    if !words.isEmpty { lines.append("((COMP_CWORD == 1)) && \(Self.words(words))") }
    if let operand = command.operand { lines.append(Self.value(operand.kind)) }
    return lines
  }

  private static func value(_ kind: ValueKind) -> String {
    switch kind {
    case .text: ":"
    case .file:
      #"compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")"#
    case .directory:
      #"compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current")"#
    case .choice(let choices): words(choices)
    }
  }

  private static func words(_ words: [String]) -> String {
    let list = words.joined(separator: " ").shellQuoted
    return "mapfile -t COMPREPLY < <(compgen -W \(list) -- \"$current\")"
  }
}
