import Arguments
import FarmAPI

/// `sheaf watch`: follows a job until it ends.
struct WatchCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "watch", summary: "Follow a job until it ends",
    operand: Operand("ID", help: "The job's id, as `sheaf submit` printed it"),
    options: FarmConnection.options + [
      Flag("json", help: "Print the job's state as JSON, one line per change").declaration
    ],
    examples: [Example("sheaf watch 5f0c", "Show progress until the job completes or fails")])

  private let farm: FarmConnection
  private let id: String
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: printsJSON)
    let printsJSON = printsJSON
    let job = try await JobWatch(id, at: farm).finish { status in
      if printsJSON { try console.print(json: status) }
      display.show(ProgressLine(status))
    }
    display.clear()
    if let failure = job.commandFailure { throw failure }
    if !printsJSON { try console.print("\(job.id) \(job.state.rawValue)") }
  }
}
