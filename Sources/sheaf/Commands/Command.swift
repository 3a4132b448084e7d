import Arguments

/// A subcommand.
package protocol Command: Sendable {
  static var syntax: CommandSyntax { get }

  /// Creates the command from its parsed arguments.
  ///
  /// - Throws: ``UsageError`` or ``CommandFailure``.
  init(_ arguments: ParsedArguments) throws

  /// Runs the command.
  ///
  /// - Throws: ``CommandFailure``.
  func run(on console: Console) async throws
}

extension Flag {
  /// Prints results as JSON instead of text.
  package static let json = Flag("json", help: "Print JSON instead of text")
  /// Prints nothing but errors and JSON.
  package static let quiet = Flag("quiet", letter: "q", help: "Print no progress and no summary")
  /// Replaces an existing output.
  package static let overwrite = Flag("overwrite", help: "Replace the output if it exists")
}

extension Option<String> {
  /// The path of the file of a job or a project, whose container is known.
  package static let output = Option(
    "output", letter: "o", value: "FILE",
    help: "Where to save the finished file; its extension must be that of the project's file type")
  /// The path of a file that is made of a project or of clips.
  static let renderedOutput = Option(
    "output", letter: "o", value: "FILE",
    help: "Where to save the finished file; its extension selects the container for clips, and "
      + "must be that of a project's file type")
  /// The path of a recording's finished file.
  static let recordedOutput = Option(
    "output", letter: "o", value: "FILE",
    help: "Where to save the finished file; its extension must be .mp4")
  /// The directories that may contain a project's files.
  package static let root = Option(
    "root", value: "DIR", isRepeatable: true,
    help: "Reject files outside DIR, after resolving symbolic links; may be repeated")
}
