import Arguments
import FarmAPI

/// `sheaf priority`: changes the priority of a job.
struct PriorityCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "priority", summary: "Change the priority of a job",
    details: ["The change applies at once to the segments that no worker renders yet."],
    operand: Operand(
      "JOB PRIORITY", .two,
      help: "The job's id, or a unique beginning of it, and a priority from -100 to 100; higher "
        + "ones are rendered first"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [
      Example("sheaf priority 5f0c 50", "Render the job before all jobs with a lower priority")
    ])

  private let farm: FarmConnection
  private let job: String
  private let priority: Int
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    job = arguments.operands[0]
    guard let priority = Int(arguments.operands[1]), JobSubmission.priorities.contains(priority)
    else {
      throw UsageError(
        "PRIORITY must be a whole number from \(JobSubmission.priorities.lowerBound) to "
          + "\(JobSubmission.priorities.upperBound)", on: "\"\(arguments.operands[1])\"",
        command: Self.syntax.invocation)
    }
    self.priority = priority
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let job = try await farm.setPriority(priority, of: farm.job(matching: job).id)
    if printsJSON { return try console.print(json: job) }
    try console.print("\(job.id) \(job.state.rawValue), priority \(job.priority ?? 0)")
  }
}
