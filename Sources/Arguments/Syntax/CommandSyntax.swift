/// The syntax of a command, from which its help, its completions, its part of the manual page and its parsing are
/// derived.
package struct CommandSyntax: Hashable, Sendable {
  /// The program's name.
  package var program: String
  /// The words after the program's name, e.g. `token create`; empty for a program without subcommands.
  package var name: String
  /// A description of the command, in one sentence without a final period.
  package var summary: String
  /// Further paragraphs.
  package var details: [String]
  /// The operand, if it takes one.
  package var operand: Operand?
  /// Its options; `--help` is added to the first group.
  package var groups: [OptionGroup]
  /// The exit codes, if they are not the program's.
  package var exitCodes: [Definition]
  /// Example command lines, each with an explanation.
  package var examples: [Example]

  package init(
    program: String, name: String, summary: String, details: [String] = [],
    operand: Operand? = nil, options: [OptionDeclaration], groups: [OptionGroup] = [],
    exitCodes: [Definition] = [], examples: [Example]
  ) {
    self.program = program
    self.name = name
    self.summary = summary
    self.details = details
    self.operand = operand
    self.groups = [OptionGroup("options", options + [Self.help.declaration])] + groups
    self.exitCodes = exitCodes
    self.examples = examples
  }

  /// The flag that every command has.
  package static let help = Flag("help", letter: "h", help: "Print this help")

  /// The options of all groups.
  package var options: [OptionDeclaration] { groups.flatMap(\.options) }

  /// The words of the name.
  var words: [String] { name.split(separator: " ").map(String.init) }

  /// The command as a user writes it, e.g. `sheaf render`.
  package var invocation: String { ([program] + words).joined(separator: " ") }

  /// The invocation with the operand and the required options.
  package var usage: String {
    let required = options.filter(\.isRequired).map(\.longForm)
    let isOptional = options.contains { !$0.isRequired && $0 != Self.help.declaration }
    return ([invocation, operand?.signature] + required + [isOptional ? "[options]" : nil])
      .compactMap(\.self).joined(separator: " ")
  }
}
