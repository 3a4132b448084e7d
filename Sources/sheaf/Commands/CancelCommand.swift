import Arguments
import FarmAPI

/// `sheaf cancel`: cancels a job.
struct CancelCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "cancel", summary: "Cancel a job",
    operand: Operand("ID", help: "The job's id, as `sheaf submit` printed it"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf cancel 5f0c", "Stop the job and free its workers")])

  private let farm: FarmConnection
  private let id: String
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let job = try await farm.cancel(id)
    if printsJSON { return try console.print(json: job) }
    try console.print("\(job.id) \(job.state.rawValue)")
  }
}
