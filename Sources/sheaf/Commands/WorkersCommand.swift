import FarmAPI

/// `sheaf workers`: who works for the coordinator.
struct WorkersCommand: Command {
  static let syntax = CommandSyntax(
    name: "workers", summary: "List the workers of a coordinator",
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [.init("sheaf workers", "List the workers, what they do and what they did")])

  private let farm: FarmConnection
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let workers = try await farm.workers()
    if printsJSON { return try console.print(json: workers) }
    var table = Table("ID", "STATE", "SLOTS", "LEASES", "COMPLETED", "FAILED", "SEEN", "NAME")
    for worker in workers {
      table.add(
        worker.id, worker.state.rawValue, "\(worker.slots)", "\(worker.leases)",
        "\(worker.segmentsCompleted)", "\(worker.segmentsFailed)",
        ProgressLine.clock(worker.secondsSinceSeen) + " ago", worker.name)
    }
    for line in table.lines { try console.print(line) }
  }
}
