import Crypto
import FarmAPI
import Foundation
import Threads
import Timeline

/// Fetches a finished file to a temporary path and then renames it, so that the output is never incomplete.
package struct OutputFetch: Sendable {
  private let farm: FarmConnection
  private let display: ProgressDisplay

  /// The number of times that the whole file is fetched if it arrives damaged.
  private static let tries = 3

  package init(from farm: FarmConnection, display: ProgressDisplay) {
    self.farm = farm
    self.display = display
  }

  /// Fetches the job's file to a path that ``OutputPath`` has checked, continuing where an earlier fetch stopped.
  ///
  /// - Parameter part: the temporary path, on the output's file system; `nil` means a path beside the output.
  /// - Throws: ``CommandFailure`` if the job has no file, the file has another type, or its bytes do not match the
  ///   digest.
  package func fetch(
    _ job: JobStatus, to output: OutputPath, through part: String? = nil
  ) async throws {
    guard let file = job.output else { throw lack(of: job) }
    guard file.fileName.hasSuffix(".\(output.fileType.rawValue)") else {
      throw CommandFailure(
        .usage, "the extension does not match the job's file", on: output.path,
        remedy: "use the extension of \(file.fileName)")
    }
    try await fetch(
      file, at: "/jobs/\(farm.escape(job.id))/output", of: job.id, to: output, through: part)
  }

  /// Fetches a finished file to a path that ``OutputPath`` has checked, continuing where an earlier fetch stopped.
  ///
  /// - Parameters:
  ///   - location: its path under the API's root.
  ///   - id: the job or the recording that it belongs to, for messages.
  ///   - part: the temporary path, on the output's file system; `nil` means a path beside the output.
  /// - Throws: ``CommandFailure`` if its bytes do not match the digest.
  package func fetch(
    _ file: OutputFile, at location: String, of id: String, to output: OutputPath,
    through part: String? = nil
  ) async throws {
    let part = part ?? output.sibling("\(file.sha256).part")
    for attempt in 1... {
      if try await download(file, at: location, of: id, to: part) == .checked { break }
      let digest = try await BlockingThread.runUntilCancelled(named: "hash") {
        try Digest.of(file: part)
      }
      if digest == file.sha256 { break }
      unlink(part)
      guard attempt < Self.tries else {
        throw CommandFailure(
          .failed, "the fetched bytes do not match the coordinator's file", on: id,
          remedy: "fetch it again")
      }
    }
    try output.take(part)
  }

  /// The failure for a job without a file, in one line.
  private func lack(of job: JobStatus) -> CommandFailure {
    let reason: String
    let remedy: String
    switch job.state {
    case .failed:
      let lines = (job.failure?.message ?? "").split(separator: "\n")
      reason =
        "the job failed" + (lines.first.map { ": \($0)" } ?? "")
        + (lines.count > 1 ? " (and \(lines.count - 1) more)" : "")
      remedy = "see `\(farm.command("job", job.id))`, and submit the project again"
    case .cancelled:
      reason = "the job was cancelled"
      remedy = "submit the project again"
    case .completed where job.outputDeletion != nil:
      reason = job.outputDeletion?.sentence ?? ""
      remedy = "submit the project again"
    case .queued, .planning, .rendering, .assembling, .completed:
      reason = "the job is \(job.state.rawValue)"
      remedy = "wait with `\(farm.command("watch", job.id))`"
    }
    return CommandFailure(
      job.commandFailure?.exitCode ?? .failed, "there is no file to fetch", on: job.id,
      remedy: "\(reason); \(remedy)")
  }

  private func download(
    _ file: OutputFile, at location: String, of id: String, to part: String
  ) async throws -> FarmConnection.Saving {
    let have = FileSize.of(part)
    if have > file.byteCount { unlink(part) }
    guard have != file.byteCount || have == 0 else { return .unchecked }
    return try await farm.download(file, at: location, of: id, to: part) { [display] received in
      display.show(ProgressLine(transfer: "fetching", done: received, total: file.byteCount))
    }
  }
}
