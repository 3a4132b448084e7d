import Arguments
import FarmAPI

/// `sheaf jobs`: lists the coordinator's jobs.
struct JobsCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "jobs", summary: "List a coordinator's jobs",
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf jobs --coordinator http://farm:7420", "List the jobs on that farm")])

  private let farm: FarmConnection
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let jobs = try await farm.jobs()
    if printsJSON { return try console.print(json: jobs) }
    var table = Table("ID", "STATE", "FRAMES", "SEGMENTS", "NAME")
    for job in jobs {
      table.add(
        job.id, job.state.rawValue,
        job.frameCount.map { "\(job.framesRendered)/\($0)" } ?? "-",
        "\(job.segments.completed)/\(job.segments.total)", job.name)
    }
    for line in table.lines { try console.print(line) }
  }
}
