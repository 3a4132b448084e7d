import Arguments
import FarmAPI

/// `sheaf watch`: follows a job until it ends.
struct WatchCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "watch", summary: "Follow a job until it ends",
    operand: Operand("ID", help: "The job's id, or a unique beginning of it"),
    options: FarmConnection.options + [
      Flag("json", help: "Print the job's state as JSON, one line per change").declaration,
      Flag.quiet.declaration,
    ],
    examples: [Example("sheaf watch 5f0c", "Show progress until the job completes or fails")])

  private let farm: FarmConnection
  private let id: String
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    format = ResultFormat(arguments)
  }

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: format != .text)
    let job = try await Interruption.guarding(on: console, saying: "the job continues") {
      let job = try await farm.job(matching: id)
      return try await JobWatch(job.id, at: farm).finish(showing: display) { status in
        if format == .json { try console.print(json: status) }
      }
    }
    display.clear()
    if let failure = job.commandFailure { throw failure }
    guard format == .text else { return }
    guard console.isForPeople else { return try console.print("\(job.id) \(job.state.rawValue)") }
    try console.print(summaryOf: job, at: farm)
  }
}
