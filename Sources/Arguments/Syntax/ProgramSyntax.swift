/// The syntax of a program, from which its help, its completions, its manual page and its parsing are derived.
package struct ProgramSyntax: Sendable {
  package let name: String
  /// A description of the program, in one sentence without a final period.
  package let summary: String
  /// Further paragraphs.
  package let details: [String]
  /// The commands, the common ones `completions` and `man-page` last.
  package let commands: [CommandSyntax]
  /// The variables of the environment.
  package let environment: [Definition]
  package let exitCodes: [Definition]
  /// Example command lines, each with an explanation.
  package let examples: [Example]
  /// The version that `--version` prints; `nil` if the program has none.
  package let version: String?

  /// Creates the syntax of a program with subcommands.
  package init(
    name: String, summary: String, details: [String] = [], commands: [CommandSyntax],
    environment: [Definition] = [], exitCodes: [Definition], examples: [Example],
    version: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.commands = commands + [Self.completions(of: name), Self.manualPage(of: name)]
    self.environment = environment
    self.exitCodes = exitCodes
    self.examples = examples
    self.version = version
  }

  /// Creates the syntax of a program that is a single command.
  package init(
    _ command: CommandSyntax, environment: [Definition] = [], version: String? = nil
  ) {
    self.init(
      name: command.program, summary: command.summary, commands: [command],
      environment: environment, exitCodes: command.exitCodes, examples: command.examples,
      version: version)
  }

  /// The option that prints the version.
  static let versionOption = "--version"

  /// The command that runs if no subcommand is named.
  var main: CommandSyntax? { commands.first { $0.words.isEmpty } }

  /// The commands with names.
  var subcommands: [CommandSyntax] { commands.filter { !$0.words.isEmpty } }

  /// The first words that several commands share, such as `token`.
  var families: [String] {
    var found: [String] = []
    for command in commands where command.words.count > 1 && !found.contains(command.words[0]) {
      found.append(command.words[0])
    }
    return found
  }

  static let completionsName = "completions"
  static let manualPageName = "man-page"

  private static func completions(of program: String) -> CommandSyntax {
    let shells = Shell.allCases.map(\.rawValue)
    return CommandSyntax(
      program: program, name: completionsName, summary: "Print a script that completes commands",
      operand: Operand("SHELL", kind: .choice(shells), help: "The shell: bash, zsh or fish"),
      options: [],
      examples: [
        Example(
          "\(program) completions bash > /etc/bash_completion.d/\(program)",
          "Complete \(program) in every new bash")
      ])
  }

  private static func manualPage(of program: String) -> CommandSyntax {
    CommandSyntax(
      program: program, name: manualPageName, summary: "Print the manual page", options: [],
      examples: [Example("\(program) man-page | man -l -", "Read it without installing it")])
  }
}
