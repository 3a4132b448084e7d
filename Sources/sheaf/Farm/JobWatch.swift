import FarmAPI
import Foundation
import HTTP

/// Follows a job to its final state, through lost connections too.
package struct JobWatch: Sendable {
  private let farm: FarmConnection
  private let id: String

  /// How long a lost coordinator is waited for.
  private static let patience = 60
  private static let pause = Duration.seconds(1)

  /// Follows a job.
  package init(_ id: String, at farm: FarmConnection) {
    self.id = id
    self.farm = farm
  }

  /// The job's final state; every state on the way there is told to `changed`.
  ///
  /// - Throws: ``CommandFailure``: at once when the coordinator or the job is not there at the beginning, and after
  ///   a minute without the coordinator later on.
  package func finish(_ changed: (JobStatus) throws -> Void) async throws -> JobStatus {
    var status = try await farm.job(id)
    try changed(status)
    var failures = 0
    while !status.state.isFinal {
      do {
        for try await event in farm.events(of: id) where event.event == "job" {
          let next = try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8))
          failures = 0
          status = next
          try changed(status)
          if status.state.isFinal { return status }
        }
        // The stream ended in good order, but not with the job: it did so in between, or the coordinator stopped.
        status = try await farm.job(id)
        try changed(status)
      } catch let error as ClientError {
        failures += 1
        if failures >= Self.patience { throw farm.failure(error) }
      } catch let failure as CommandFailure where failure.exitCode == .coordinatorUnreachable {
        failures += 1
        if failures >= Self.patience { throw failure }
      }
      if !status.state.isFinal { try await Task.sleep(for: Self.pause) }
    }
    return status
  }
}

extension JobStatus {
  /// The failure that a final state means, `nil` for a completed job.
  package var commandFailure: CommandFailure? {
    switch state {
    case .failed:
      guard let failure else {
        return CommandFailure(.failed, "the job failed", on: id)
      }
      let lines = failure.message.split(separator: "\n").map(String.init)
      return failure.code == JobFailure.invalidProject
        ? .invalidProject(lines)
        : CommandFailure(.failed, lines: lines.map { "the job failed: \(id): \($0)" })
    case .cancelled:
      return CommandFailure(.failed, "the job was cancelled", on: id, remedy: "submit it again")
    default: return nil
    }
  }
}
