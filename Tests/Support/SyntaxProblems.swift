import Arguments

/// The problems of the help, the completions, the manual page and the examples of a program's commands.
package func syntaxProblems(of program: ProgramSyntax) -> [String] {
  var problems: [String] = []
  let scripts = Dictionary(
    uniqueKeysWithValues: Shell.allCases.map { ($0, program.completions(for: $0)) })
  for command in program.commands {
    let lines = command.helpText.split(separator: "\n", omittingEmptySubsequences: false)
    problems += lines.filter { $0.count > 80 || $0.hasSuffix(" ") }
      .map { "\(command.invocation) --help has the line: \($0)" }
    for option in command.options {
      if !command.helpText.contains("--\(option.name)") {
        problems.append("\(command.invocation) --help does not have --\(option.name)")
      }
      for (shell, script) in scripts {
        let written = shell == .fish ? " -l \(option.name) " : "--\(option.name)"
        if !script.contains(written) {
          problems.append("the completions for \(shell) do not have --\(option.name)")
        }
      }
      let escaped = "\\-\\-" + option.name.replacing("-", with: "\\-")
      if !program.manualPage.contains(escaped) {
        problems.append("the manual page does not have --\(option.name)")
      }
    }
    if command.examples.isEmpty { problems.append("\(command.invocation) has no example") }
    for example in command.examples { problems += exampleProblems(example, of: program) }
  }
  let lines = program.helpText.split(separator: "\n")
  problems += lines.filter { $0.count > 80 }.map { "--help has the line: \($0)" }
  for example in program.examples { problems += exampleProblems(example, of: program) }
  return problems
}

/// The problems of an example: it does not parse as the program's command line, or is too wide.
private func exampleProblems(_ example: Example, of program: ProgramSyntax) -> [String] {
  let words = example.line.replacing("\\\n", with: " ").split(separator: " ")
    .prefix { ![">", "|"].contains($0) }.map(String.init)
  do {
    guard words.first == program.name else { return ["not a command line: \(example.line)"] }
    _ = try program.request(Array(words.dropFirst()))
    return []
  } catch {
    return ["\(example.line): \(error)"]
  }
}
