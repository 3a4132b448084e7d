import FarmAPI
import Foundation
import HTTP

/// Follows a job to its final state, even if connections are lost.
package struct JobWatch: Sendable {
  private let farm: FarmConnection
  private let id: String

  private static let pause = Duration.seconds(1)

  /// Follows a job.
  package init(_ id: String, at farm: FarmConnection) {
    self.id = id
    self.farm = farm
  }

  /// Waits for the job's final state, and shows every state before it. On a terminal, it shows the farm's workers too.
  ///
  /// - Parameter changed: called with every state; an error that it throws ends the wait.
  package func finish(
    showing display: ProgressDisplay, _ changed: (JobStatus) async throws -> Void = { _ in }
  ) async throws -> JobStatus {
    let workers = Task { [farm] in
      guard display.isLive else { return }
      while let figures = await farm.workerFigures() {
        display.show(workers: figures)
        try await Task.sleep(for: Self.workersPause)
      }
    }
    defer { workers.cancel() }
    return try await finish { status in
      display.show(status)
      try await changed(status)
    }
  }

  private static let workersPause = Duration.seconds(2)

  /// Waits for the job's final state, and reports every state before it to `changed`.
  ///
  /// - Throws: ``CommandFailure``, also if the coordinator is unavailable for longer than the patience.
  package func finish(_ changed: (JobStatus) async throws -> Void) async throws -> JobStatus {
    var status = try await farm.job(id)
    try await changed(status)
    while !status.state.isFinal {
      do {
        for try await event in farm.events(of: id) where event.event == EventKind.job.rawValue {
          status = try FarmCoding.decode(JobStatus.self, from: Data(event.data.utf8))
          // An event has only the beginning of a failure's message, so the job itself is requested.
          if status.state.isFinal { break }
          try await changed(status)
        }
      } catch is ClientError {
        // The coordinator is unavailable, or a proxy answers instead: requesting the job waits until it is back.
      } catch is DecodingError {
        // An event was damaged in transit.
      }
      if !status.state.isFinal { try await Task.sleep(for: Self.pause) }
      status = try await farm.job(id)
      try await changed(status)
    }
    return status
  }
}

extension JobStatus {
  /// The failure for a final state; `nil` for a completed job.
  package var commandFailure: CommandFailure? {
    switch state {
    case .failed:
      guard let failure else {
        return CommandFailure(.failed, "the job failed", on: id)
      }
      let lines = failure.message.split(separator: "\n").map(String.init)
      return failure.code == .invalidProject
        ? .invalidProject(lines)
        : CommandFailure(.failed, lines: lines.map { "the job failed: \(id): \($0)" })
    case .cancelled:
      return CommandFailure(.failed, "the job was cancelled", on: id, remedy: "submit it again")
    default: return nil
    }
  }
}
