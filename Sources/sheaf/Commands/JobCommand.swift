import Arguments
import FarmAPI
import Planning

/// `sheaf job`: shows a job and its segments.
struct JobCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "job", summary: "Show a job and its segments",
    operand: Operand("ID", help: "The job's id, as `sheaf submit` printed it"),
    options: FarmConnection.options + [Flag.json.declaration],
    examples: [Example("sheaf job 5f0c", "Show the job's progress, segment by segment")])

  private let farm: FarmConnection
  private let id: String
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    id = arguments.operand
    printsJSON = arguments.has(.json)
  }

  private struct Description: Encodable {
    var job: JobStatus
    var segments: [SegmentStatus]
  }

  func run(on console: Console) async throws {
    let job = try await farm.listingConcealed(farm.job(id))
    let segments = try await farm.segments(of: id)
    if printsJSON { return try console.print(json: Description(job: job, segments: segments)) }
    try console.print("\(job.name) (\(job.id)): \(ProgressLine(job).plain)")
    for line in job.commandFailure?.lines ?? [] { try console.print(line) }
    if let output = job.output {
      try console.print(
        "output: \(output.fileName), \(ByteCount(output.byteCount)), sha256 \(output.sha256)")
    }
    for line in job.frameRate?.lines ?? [] { try console.print(line) }
    if let loudness = job.loudness { try console.print(loudness.line) }
    for line in job.concealedLines { try console.print(line) }
    guard !segments.isEmpty else { return }
    var table = Table("SEGMENT", "FRAMES", "STATE", "RENDERED", "ATTEMPTS", "WORKER")
    for segment in segments {
      table.add(
        "\(segment.index)", "\(segment.first)..<\(segment.end)", segment.state.rawValue,
        "\(segment.framesRendered)", "\(segment.attempts)", segment.workers)
    }
    for line in table.lines { try console.print(line) }
  }
}

extension SegmentStatus {
  /// The names of the workers that lease the segment or delivered its chunk.
  fileprivate var workers: String {
    let names = [worker, copyWorker].compactMap(\.self)
    return names.isEmpty ? "-" : names.joined(separator: ", ")
  }
}
