import Arguments
import FarmAPI

/// `sheaf delete`: deletes jobs that have ended.
struct DeleteCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "delete", summary: "Delete jobs that have ended, and their files",
    details: ["A job that has not ended must be cancelled first."],
    operand: Operand("JOB", .oneOrMore, help: "The jobs' ids, or unique beginnings of them"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [
      Example(
        "sheaf delete 5f0c",
        "Remove the job, its finished file and the chunks that no other job needs")
    ])

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
      let id = try await farm.job(matching: text).id
      try await farm.delete(id)
      try printsJSON ? console.print(json: ["deleted": id]) : console.print("\(id) deleted")
    }
  }
}
