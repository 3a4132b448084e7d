/// A subcommand: what it takes, and what it does.
package protocol Command: Sendable {
  /// The command's syntax.
  static var syntax: CommandSyntax { get }

  /// The command that arguments ask for.
  ///
  /// - Throws: ``UsageError`` or ``CommandFailure``.
  init(_ arguments: ParsedArguments) throws

  /// Does it.
  ///
  /// - Throws: ``CommandFailure``.
  func run(on console: Console) async throws
}

extension Flag {
  /// Prints results as JSON, for programs.
  package static let json = Flag("json", help: "Print JSON instead of text")
  /// Replaces an existing output.
  package static let overwrite = Flag("overwrite", help: "Replace the output if it exists")
}

extension Option<String> {
  /// The path of the finished file.
  package static let output = Option(
    "output", letter: "o", value: "FILE",
    help: "Where to save the finished file; its extension names the container")
  /// The directories under which a project's files may lie.
  package static let root = Option(
    "root", value: "DIR", isRepeatable: true,
    help: "Refuse files that do not lie under DIR once links are resolved; may be repeated")
}
