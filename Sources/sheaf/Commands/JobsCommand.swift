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
    var table = Table(
      Table.Column("ID", importance: 9), Table.Column("STATE", importance: 8),
      Table.Column("DONE", importance: 6), Table.Column("LENGTH", importance: 4),
      Table.Column("FRAMES", importance: 3), Table.Column("SEGMENTS", importance: 2),
      Table.Column("NAME", importance: 7, shortest: 8))
    for job in jobs {
      table.add(
        job.id, job.state.rawValue, ProgressLine(job).percent.map { "\($0)%" } ?? "-",
        job.length ?? "-", job.frames,
        "\(job.segments.completed)/\(job.segments.total)", job.name)
    }
    try console.print(table)
  }
}

extension JobStatus {
  /// The numbers of rendered and of all frames.
  fileprivate var frames: String {
    guard let frameCount else { return "-" }
    return isFollowing == true ? "\(framesRendered)" : "\(framesRendered)/\(frameCount)"
  }

  /// The length of the output as a timecode or in seconds; `nil` if it is not known yet or has no frames.
  var length: String? {
    guard isFollowing == nil, let frameCount, frameCount > 0, let frameDuration else { return nil }
    return TimeText.frames(frameCount, ofSeconds: frameDuration)
  }
}
