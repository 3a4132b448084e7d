import FarmAPI
import Foundation

/// `sheaf-coordinator forget`: drops the chunks of a worker or of a period. A running coordinator notices within a
/// second.
enum ForgetCommand {
  static let usage = """
    usage: sheaf-coordinator forget --data DIR --worker NAME
           sheaf-coordinator forget --data DIR --since TIME

    Makes the chunks that a worker delivered, or that were delivered since a time, unusable: later jobs do not reuse
    them, and unfinished jobs render their segments again. Prints how many chunks are dropped, and lists the finished
    jobs whose files contain such chunks; these files stay as they are. With both --worker and --since, only chunks
    that match both are dropped.

    A running coordinator drops the chunks within a second. If none is running, the next one drops them when it starts.

      --data DIR      the coordinator's data directory
      --worker NAME   the name under which the worker registered
      --since TIME    the earliest time of delivery, such as 2026-11-22T06:00:00Z

    example: sheaf-coordinator forget --data /var/lib/sheaf --worker rack-1
    """

  /// Runs the command with the arguments after `forget`, and returns the exit code.
  static func run(_ arguments: ArraySlice<String>) throws -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      print(usage)
      return 0
    }
    let read = try MaintenanceArguments(
      arguments, of: "forget", values: ["--data", "--worker", "--since"])
    let data = try read.required("--data", "the coordinator's data directory")
    var selection = ChunkSelection(worker: read["--worker"])
    if let text = read["--since"] {
      guard let date = try? Date(text, strategy: .iso8601) else {
        throw UsageError("--since '\(text)' is not a time: write it like 2026-11-22T06:00:00Z")
      }
      selection.since = date
    }
    guard selection.worker != nil || selection.since != nil else {
      throw UsageError("specify the chunks to forget: write --worker NAME or --since TIME")
    }
    // Chunks that are delivered later are not selected. The file stores whole seconds.
    selection.until = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.up))
    report(try Ledger(reading: data).chunks(of: selection))
    try ForgetFile(data: data).update { $0.append(selection) }
    return 0
  }

  /// Prints how many chunks will be dropped, and which finished jobs contain some.
  static func report(_ concerned: ConcernedChunks) {
    StandardStream.output.write(
      line: "will drop \(concerned.kept.count) chunks kept for later jobs and "
        + "\(concerned.segments.count) of unfinished jobs")
    for job in concerned.finished { StandardStream.output.write(line: "\(job)") }
    for job in concerned.lost {
      StandardStream.output.write(
        line: "job \(job): its finished file is lost, and contains such chunks")
    }
  }
}
