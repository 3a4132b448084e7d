/// Every subcommand, and the help for the whole program.
package enum CommandList {
  /// The subcommands, in the order in which help lists them.
  package static let all: [any Command.Type] = [
    RenderCommand.self, TranscodeCommand.self, SubmitCommand.self, WatchCommand.self,
    JobsCommand.self, JobCommand.self,
    CancelCommand.self, FetchCommand.self, PlanCommand.self, ExpandCommand.self,
    ValidateCommand.self, ProbeCommand.self, WorkersCommand.self,
  ]

  /// The syntaxes of all commands.
  package static var syntaxes: [CommandSyntax] { all.map { $0.syntax } }

  /// Finds a subcommand by its name.
  package static func named(_ name: String) -> (any Command.Type)? {
    all.first { $0.syntax.name == name }
  }

  /// The text of `sheaf --help`.
  package static var helpText: String {
    let commands = CommandSyntax.columns(syntaxes.map { ($0.name, $0.summary) })
    return
      ([
        "Renders video timelines on this machine or on a farm.", "",
        "usage: sheaf COMMAND [options]", "", "commands:",
      ] + commands + [
        "", "Run `sheaf COMMAND --help` for more about a command.", "",
        "exit codes: 0 success, 1 failure, 2 invalid arguments, 3 invalid project,",
        "            4 coordinator unreachable",
        "", "example:", "  sheaf render a.mp4 b.mp4 --transition dissolve:1 -o out.mp4",
        "      Render two clips with a one-second dissolve between them",
      ]).joined(separator: "\n")
  }
}
