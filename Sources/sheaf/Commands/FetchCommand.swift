import Arguments
import FarmAPI

/// `sheaf fetch`: saves a job's finished file.
struct FetchCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "fetch", summary: "Save a job's finished file",
    operand: Operand("ID", help: "The job's id, or a unique beginning of it"),
    options: [Option.output.declaration.required(), Flag.overwrite.declaration]
      + FarmConnection.options
      + [Flag.json.declaration, Flag.quiet.declaration],
    examples: [
      Example("sheaf fetch 5f0c -o out.mp4", "Save the file, or continue an interrupted download")
    ])

  private let farm: FarmConnection
  private let id: String
  private let output: OutputPath
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    output = try OutputPath(
      arguments.required(.output), mayReplace: arguments.has(.overwrite))
    format = ResultFormat(arguments)
  }

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    let job = try await Interruption.guarding {
      var job = try await farm.job(matching: id)
      if job.output != nil { job = try await farm.listingConcealed(job) }
      try await OutputFetch(from: farm, display: display).fetch(job, to: output)
      return job
    }
    display.clear()
    try await console.print(FinishedFile(job, at: output), in: format)
  }
}
