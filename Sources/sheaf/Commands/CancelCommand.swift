import Arguments
import FarmAPI

/// `sheaf cancel`: cancels jobs.
struct CancelCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "cancel", summary: "Cancel jobs",
    operand: Operand("JOB", .oneOrMore, help: "The jobs' ids, or unique beginnings of them"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf cancel 5f0c", "Stop the job and free its workers")])

  private let farm: FarmConnection
  private let jobs: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    jobs = arguments.operands
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    try await EachSubject.run(jobs, on: console) { text in
      let job = try await farm.cancel(farm.job(matching: text).id)
      if printsJSON { return try console.print(json: job) }
      try console.print("\(job.id) \(job.state.rawValue)")
    }
  }
}
