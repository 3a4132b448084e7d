import Arguments
import FarmAPI

/// `sheaf resume`: puts workers back into service.
struct ResumeCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "resume", summary: "Put workers back into service",
    details: ["The workers may be draining, set aside or distrusted. It needs an admin's token."],
    operand: Operand(
      "WORKER", .oneOrMore, help: "The workers' names or ids, or unique beginnings of the ids"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf resume rack-1", "Give segments to the worker rack-1 again")])

  private let farm: FarmConnection
  private let workers: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    workers = arguments.operands
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    try await EachSubject.run(workers, on: console) { text in
      let worker = try await farm.resume(worker: farm.worker(matching: text).id)
      if printsJSON { return try console.print(json: worker) }
      try console.print("\(worker.id) \(worker.state.rawValue) \(worker.name)")
    }
  }
}
