import Arguments
import FarmAPI

/// `sheaf drain`: takes workers out of service.
struct DrainCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "drain",
    summary: "Let workers finish their segments, and give them no more",
    details: ["It needs an admin's token. `sheaf resume` puts a worker back into service."],
    operand: Operand(
      "WORKER", .oneOrMore, help: "The workers' names or ids, or unique beginnings of the ids"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [
      Example(
        "sheaf drain rack-1", "Take the worker rack-1 out of service, e.g. to update its host")
    ])

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
      let worker = try await farm.drain(worker: farm.worker(matching: text).id)
      if printsJSON { return try console.print(json: worker) }
      try console.print("\(worker.id) \(worker.state.rawValue) \(worker.name)")
    }
  }
}
