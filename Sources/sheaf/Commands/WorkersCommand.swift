import Arguments
import FarmAPI

/// `sheaf workers`: lists the coordinator's workers, or resumes one.
struct WorkersCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "workers", summary: "List a coordinator's workers, or resume one",
    options: FarmConnection.options + [resumption.declaration, Flag.json.declaration],
    examples: [
      Example("sheaf workers", "List the workers with their leases and results"),
      Example(
        "sheaf workers --resume 5f0c",
        "Put a distrusted, draining or set-aside worker back into service"),
    ])

  private static let resumption = Option<String>(
    "resume", value: "ID",
    help: "Put the distrusted, draining or set-aside worker with this id back into service; needs "
      + "an admin's token")

  private let farm: FarmConnection
  /// The id of the worker to resume.
  private let resumed: String?
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    resumed = try arguments.value(Self.resumption)
    printsJSON = arguments.has(.json)
  }

  /// The memory that a worker's leases need, of the memory that it has.
  private static func memory(of worker: WorkerStatus) -> String {
    let used = ByteCount(worker.memoryInUse)
    return worker.memory.map { "\(used) of \(ByteCount($0))" } ?? "\(used)"
  }

  func run(on console: Console) async throws {
    if let resumed {
      let worker = try await farm.resume(worker: farm.worker(matching: resumed).id)
      if printsJSON { return try console.print(json: worker) }
      return try console.print("\(worker.id) \(worker.state.rawValue)")
    }
    let workers = try await farm.workers()
    if printsJSON { return try console.print(json: workers) }
    var table = Table(
      Table.Column("ID", importance: 9), Table.Column("STATE", importance: 8),
      Table.Column("SLOTS", importance: 5), Table.Column("LEASES", importance: 6),
      Table.Column("MEMORY", importance: 2), Table.Column("COMPLETED", importance: 1),
      Table.Column("FAILED", importance: 3), Table.Column("SEEN", importance: 4),
      Table.Column("NAME", importance: 7, shortest: 8))
    for worker in workers {
      table.add(
        worker.id, worker.state.rawValue, "\(worker.slots)", "\(worker.leases)",
        Self.memory(of: worker), "\(worker.segmentsCompleted)", "\(worker.segmentsFailed)",
        ProgressLine.clock(worker.secondsSinceSeen) + " ago", worker.name)
    }
    try console.print(table)
    for worker in workers {
      guard let reason = worker.reason else { continue }
      try console.print(
        "\(worker.name) (\(worker.id)) gets no leases: \(reason): to resume it"
          + "\(farm.hasToken ? ", with an admin's token" : ""): "
          + farm.adminCommand("workers", "--resume", worker.id))
    }
  }
}
