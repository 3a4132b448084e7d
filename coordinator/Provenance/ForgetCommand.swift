import FarmAPI
import Foundation

/// `sheaf-coordinator forget`: drops the chunks of a worker, or from a period. A running coordinator notices within a
/// second.
enum ForgetCommand {
  static let usage = """
    usage: sheaf-coordinator forget --data DIR --worker NAME
           sheaf-coordinator forget --data DIR --since TIME

    Makes the chunks that a worker delivered, or that were delivered since a time, unusable: none is kept for later
    jobs, and jobs that are not finished render the segments again. Prints how many are dropped, and the finished jobs
    whose files contain such chunks, which stay as they are. With --worker and --since, both have to fit.

    A coordinator that runs on DIR drops them within a second; otherwise they are dropped when it starts.

      --data DIR      the coordinator's data directory
      --worker NAME   the name that the worker registered with
      --since TIME    when the chunks were delivered, or later, such as 2026-11-22T06:00:00Z

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
      line: "\(concerned.kept.count) kept chunks and \(concerned.segments.count) chunks of "
        + "unfinished jobs are dropped")
    for job in concerned.finished { StandardStream.output.write(line: "\(job)") }
    for job in concerned.lost {
      StandardStream.output.write(line: "job \(job): its lost finished file has such chunks")
    }
  }
}
