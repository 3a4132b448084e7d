import Arguments
import FarmAPI

/// Every subcommand, and the syntax of the whole program.
package enum CommandList {
  /// The subcommands, in the order in which help lists them.
  package static let all: [any Command.Type] = [
    RenderCommand.self, TranscodeCommand.self, SubmitCommand.self, WatchCommand.self,
    WaitCommand.self, JobsCommand.self, JobCommand.self, LogsCommand.self, CancelCommand.self,
    RetryCommand.self, PriorityCommand.self, DeleteCommand.self, FetchCommand.self,
    PlanCommand.self, ExpandCommand.self, ValidateCommand.self, ProbeCommand.self,
    InitCommand.self, FrameCommand.self, ContactSheetCommand.self,
    RecordCommand.self, RecordingsCommand.self, RecordingCommand.self, StopCommand.self,
    WorkersCommand.self, DrainCommand.self, ResumeCommand.self, ScaleCommand.self,
    DoctorCommand.self, ConfigCommand.self,
  ]

  /// The syntaxes of all commands.
  package static var syntaxes: [CommandSyntax] { all.map { $0.syntax } }

  package static func command(_ arguments: ParsedArguments) throws -> (any Command)? {
    try all.first { $0.syntax == arguments.syntax }?.init(arguments)
  }

  /// The syntax of the program.
  package static let program = ProgramSyntax(
    name: "sheaf", summary: "Renders video timelines on this machine or on a farm",
    commands: syntaxes,
    environment: [
      Definition(
        "SHEAF_COORDINATOR",
        "The coordinator's address, or several with spaces between them, unless `--coordinator` is "
          + "given"),
      Definition("SHEAF_TOKEN", "The token for the coordinator, unless `--token-file` is given"),
      Definition(
        "SHEAF_CA_FILE",
        "The CA certificate to verify the coordinator with, unless `--ca-file` is given"),
      Definition(
        "SHEAF_RECORDING_PASSPHRASE",
        "The passphrase of `sheaf record` for a source over SRT, unless `--passphrase-file` is given"
      ),
      Definition(
        "XDG_CONFIG_HOME",
        "The directory with `sheaf/config`, the configuration file (default: ~/.config); see "
          + "`sheaf config --help`"),
      Definition(
        "XDG_CACHE_HOME",
        "The directory that contains the cache of media digests and indexes, in the folder `sheaf` "
          + "(default: ~/.cache)"),
    ],
    exitCodes: [
      Definition("0", "success"), Definition("1", "failure"), Definition("2", "invalid arguments"),
      Definition("3", "invalid project"), Definition("4", "coordinator unreachable"),
      Definition("5", "not allowed"),
      Definition("130", "stopped by a signal"), Definition("141", "its output was closed"),
    ],
    examples: [
      Example(
        "sheaf render a.mp4 b.mp4 --transition dissolve:1 -o out.mp4",
        "Render two clips with a one-second dissolve between them")
    ], version: SheafVersion.current)
}
