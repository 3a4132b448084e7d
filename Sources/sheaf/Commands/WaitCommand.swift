import Arguments
import FarmAPI

/// `sheaf wait`: waits until jobs have ended.
struct WaitCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "wait", summary: "Wait until jobs have ended",
    details: [
      "It prints each job with its final state, and nothing while it waits. If jobs end "
        + "differently, the highest of their exit codes is used."
    ],
    operand: Operand("JOB", .oneOrMore, help: "The jobs' ids, or unique beginnings of them"),
    options: FarmConnection.options + [Flag.json.declaration, Flag.quiet.declaration],
    exitCodes: [
      Definition("0", "all completed"), Definition("1", "one failed or was cancelled"),
      Definition("2", "invalid arguments"), Definition("3", "one has an invalid project"),
      Definition("4", "coordinator unreachable"), Definition("5", "not allowed"),
    ],
    examples: [
      Example("sheaf wait 5f0c 77aa && ./publish.sh", "Publish once both jobs have completed")
    ])

  private let farm: FarmConnection
  private let jobs: [String]
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    jobs = arguments.operands
    format = ResultFormat(arguments)
  }

  func run(on console: Console) async throws {
    try await EachSubject.run(jobs, on: console) { text in
      let job = try await JobWatch(farm.job(matching: text).id, at: farm).finish { _ in }
      switch format {
      case .json: try console.print(json: job)
      case .text: try console.print("\(job.id) \(job.state.rawValue)")
      case .none: break
      }
      if let failure = job.commandFailure { throw failure }
    }
  }
}
