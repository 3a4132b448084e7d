import Arguments
import FarmAPI

/// `sheaf retry`: runs failed or cancelled jobs again.
struct RetryCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "retry", summary: "Run failed or cancelled jobs again",
    details: ["Segments that have a chunk are not rendered again."],
    operand: Operand("JOB", .oneOrMore, help: "The jobs' ids, or unique beginnings of them"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf retry 5f0c 77aa", "Render what the two jobs still lack")])

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
      let job = try await farm.retry(farm.job(matching: text).id)
      if printsJSON { return try console.print(json: job) }
      try console.print("\(job.id) \(job.state.rawValue)")
    }
  }
}
