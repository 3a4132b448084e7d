import Arguments
import FarmAPI
import Foundation

/// `sheaf-coordinator forget`: drops the chunks of a worker or of a period. A running coordinator notices within a
/// second.
enum ForgetCommand {
  private static let worker = Option<String>(
    "worker", value: "NAME", help: "The name under which the worker registered")
  private static let since = Option<Date>(
    "since", value: "TIME", expecting: "a time such as 2026-11-22T06:00:00Z",
    help: "Select chunks delivered at this time or later, such as 2026-11-22T06:00:00Z"
  ) { try? Date($0, strategy: .iso8601) }

  static let syntax = CommandSyntax(
    program: "sheaf-coordinator", name: "forget",
    summary: "Drop the chunks of workers that are no longer trusted",
    details: [
      "It drops the chunks that a worker delivered (--worker), that were delivered since a time "
        + "(--since), or both. Later jobs do not reuse them, and unfinished jobs render their "
        + "segments again. It prints how many chunks are dropped, and lists the finished jobs "
        + "whose files contain some of them; these files stay as they are.",
      "A running coordinator drops the chunks within a second. If none is running, the next one "
        + "drops them when it starts.",
    ],
    options: [Option.data.declaration.required(), worker.declaration, since.declaration]
      + LedgerOption.declarations,
    exitCodes: [Definition("0", "success"), Definition("2", "invalid arguments, or failure")],
    examples: [
      Example(
        "sheaf-coordinator forget --data /var/lib/sheaf --worker rack-1",
        "Drop everything that the worker rack-1 delivered")
    ])

  static func run(_ arguments: ParsedArguments) throws {
    let data = try arguments.required(.data)
    var selection = ChunkSelection(worker: try arguments.value(worker))
    selection.since = try arguments.value(since)
    guard selection.worker != nil || selection.since != nil else {
      throw UsageError(
        "missing option", on: "--worker NAME or --since TIME", command: syntax.invocation)
    }
    // Chunks that are delivered later are not selected. The file stores whole seconds.
    selection.until = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.up))
    let ledger = try LedgerOption.address(arguments)
    report(try Ledger.reading(data, at: ledger).chunks(of: selection))
    try ForgetFile(data: data).update { $0.append(selection) }
    try TrustExchange.share(data, at: ledger)
  }

  /// Prints how many chunks will be dropped, and which finished jobs contain some.
  static func report(_ concerned: ConcernedChunks) {
    StandardStream.output.write(
      line: "will drop \(concerned.kept.count) chunks kept for later jobs and "
        + "\(concerned.segments.count) chunks of unfinished jobs")
    for job in concerned.finished { StandardStream.output.write(line: "\(job)") }
    for job in concerned.lost {
      StandardStream.output.write(
        line: "job \(job): its finished file, which is lost, contained dropped chunks")
    }
  }
}
