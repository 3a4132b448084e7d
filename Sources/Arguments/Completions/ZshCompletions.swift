/// Completions for zsh, as a file of its `site-functions`.
struct ZshCompletions {
  private let program: ProgramSyntax

  init(_ program: ProgramSyntax) { self.program = program }

  var script: String {
    let function = "_\(program.name)"
    return """
      #compdef \(program.name)
      # Completes \(program.name) in zsh. Printed by `\(program.name) completions zsh`.
      \(function)() {
        local -a found
      \(listing(program.firstWords, at: 2, or: program.main).joined(separator: "\n"))
        case $words[2] in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == \(function) ]]; then
        \(function) "$@"
      else
        compdef \(function) \(program.name)
      fi
      """
  }

  private var cases: [String] {
    var cases = program.families.map { family in
      let members = program.members(of: family)
      return
        (["    \(family))"]
        + listing(members.map { ($0.word, $0.command.summary) }, at: 3, or: nil, indent: 6)
        + ["      case $words[3] in"]
        + members.map {
          "        \($0.word)) shift 2 words; ((CURRENT -= 2)); \(arguments($0.command)) ;;"
        }
        + ["      esac", "      ;;"]).joined(separator: "\n")
    }
    cases += program.subcommands.filter { $0.words.count == 1 }.map {
      "    \($0.name)) shift words; ((CURRENT -= 1)); \(arguments($0)) ;;"
    }
    if let main = program.main { cases.append("    *) \(arguments(main)) ;;") }
    return cases
  }

  /// Lines that offer the words at a place, and end there unless a command has no subcommands.
  private func listing(
    _ words: [(word: String, summary: String)], at place: Int, or main: CommandSyntax?,
    indent: Int = 2
  ) -> [String] {
    let list = words.map { word in
      "\(word.word):\(word.summary.replacing(":", with: "\\:"))".shellQuoted
    }
    let end = main == nil ? "; return" : ""
    return [
      "if ((CURRENT == \(place))); then", "  found=(\(list.joined(separator: " ")))",
      "  _describe command found\(end)", "fi",
    ].map { String(repeating: " ", count: indent) + $0 }
  }

  private func arguments(_ command: CommandSyntax) -> String {
    var specifications = command.options.flatMap(Self.specifications)
    if let operand = command.operand {
      let count = operand.arity == .oneOrMore ? "*" : operand.arity == .optional ? ":" : ""
      let one = "\(count):\(Self.escaped(operand.placeholder)):\(Self.action(operand.kind))"
      specifications += Array(repeating: one.shellQuoted, count: operand.arity.most == 2 ? 2 : 1)
    }
    return (["_arguments -S"] + specifications).joined(separator: " ")
  }

  /// The specifications of an option's forms for `_arguments`.
  private static func specifications(_ option: OptionDeclaration) -> [String] {
    let names = (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
    let prefix = option.isRepeatable ? "*" : "(\(names.joined(separator: " ")))"
    return names.map { name in
      var text = prefix + name
      if option.placeholder != nil, name.hasPrefix("--") { text += "=" }
      text += "[\(escaped(option.help))]"
      if let placeholder = option.placeholder {
        text += ":\(escaped(placeholder)):\(action(option.kind))"
      }
      return text.shellQuoted
    }
  }

  private static func action(_ kind: ValueKind) -> String {
    switch kind {
    case .text: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .choice(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing(#/[\\\[\]:]/#) { "\\\($0.output)" }
  }
}
