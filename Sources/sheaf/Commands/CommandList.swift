/// Every subcommand, and the help of the program as a whole.
package enum CommandList {
  /// The subcommands in the order of the help.
  package static let all: [any Command.Type] = [
    RenderCommand.self, TranscodeCommand.self, SubmitCommand.self, WatchCommand.self,
    JobsCommand.self, JobCommand.self,
    CancelCommand.self, FetchCommand.self, PlanCommand.self, ExpandCommand.self,
    ValidateCommand.self, ProbeCommand.self, WorkersCommand.self,
  ]

  /// The syntaxes of all commands.
  package static var syntaxes: [CommandSyntax] { all.map { $0.syntax } }

  /// The subcommand of a name.
  package static func named(_ name: String) -> (any Command.Type)? {
    all.first { $0.syntax.name == name }
  }

  /// The text of `sheaf --help`.
  package static var helpText: String {
    let commands = CommandSyntax.columns(syntaxes.map { ($0.name, $0.summary) })
    return
      ([
        "Renders video timelines, on this machine or on a farm.", "",
        "usage: sheaf COMMAND [options]", "", "commands:",
      ] + commands + [
        "", "`sheaf COMMAND --help` tells more about each.", "",
        "exit codes: 0 done, 1 failed, 2 usage, 3 invalid project, 4 cannot reach the coordinator",
        "", "example:", "  sheaf render a.mp4 b.mp4 --transition dissolve:1 -o out.mp4",
        "      Render two clips with a dissolve of one second between them",
      ]).joined(separator: "\n")
  }
}
