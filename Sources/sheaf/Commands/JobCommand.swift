import Arguments
import FarmAPI
import Planning

/// `sheaf job`: shows a job and its segments.
struct JobCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "job", summary: "Show a job and its segments",
    operand: Operand("ID", help: "The job's id, or a unique beginning of it"),
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
    let job = try await farm.listingConcealed(farm.job(matching: id))
    let segments = try await farm.segments(of: job.id)
    if printsJSON { return try console.print(json: Description(job: job, segments: segments)) }
    let length = job.length.map { ", \($0) long" } ?? ""
    try console.print(prose: "\(job.name) (\(job.id)): \(ProgressLine(job).plain)\(length)")
    for line in job.commandFailure?.lines ?? [] { try console.print(prose: line) }
    if let output = job.output {
      try console.print(
        prose:
          "output: \(output.fileName), \(ByteCount(output.byteCount)), sha256 \(console.shown(output.sha256))"
      )
    }
    if let deletion = job.outputDeletion { try console.print(prose: deletion.sentence) }
    for sentence in JobSummary(job).making { try console.print(prose: sentence) }
    for line in job.frameRate?.lines ?? [] { try console.print(prose: line) }
    if let loudness = job.loudness { try console.print(prose: loudness.line) }
    for line in job.concealedLines { try console.print(prose: line) }
    guard !segments.isEmpty else { return }
    var table = Table(
      Table.Column("SEGMENT", importance: 9), Table.Column("START", importance: 6),
      Table.Column("FRAMES", importance: 4), Table.Column("STATE", importance: 8),
      Table.Column("KIND", importance: 3), Table.Column("RENDERED", importance: 5),
      Table.Column("ATTEMPTS", importance: 2), Table.Column("WORKER", importance: 7, shortest: 6),
      Table.Column("REASON", importance: 1, shortest: 12))
    for segment in segments {
      table.add(
        "\(segment.index)",
        job.frameDuration.map { TimeText.frames(segment.first, ofSeconds: $0) } ?? "-",
        "\(segment.first)..<\(segment.end)", segment.state.rawValue, segment.origin,
        "\(segment.framesRendered)", "\(segment.attempts)", segment.workers,
        segment.isReused == true ? "-" : segment.reason ?? "-")
    }
    try console.print(table)
  }
}

extension SegmentStatus {
  /// How it is made.
  fileprivate var origin: String { isReused == true ? "reused" : kind?.rawValue ?? "-" }

  /// The names of the workers that lease the segment or delivered its chunk.
  fileprivate var workers: String {
    let names = [worker, copyWorker].compactMap(\.self)
    return names.isEmpty ? "-" : names.joined(separator: ", ")
  }
}
