import FarmAPI
import Foundation

/// Starts and stops the runs of recordings.
actor Recorder {
  private let shop: Workshop
  private var runs: [String: (run: RecordingRun, task: Task<Void, Never>)] = [:]

  init(shop: Workshop) { self.shop = shop }

  /// Continues the recordings that an earlier coordinator left, and removes the files of those that were deleted.
  func start() async throws {
    let known = try await shop.farm.recordingIDs()
    let folder = shop.directory.recordings
    try await shop.threads.run {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where !known.contains(name) {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
    for status in try await shop.farm.unfinishedRecordings() { begin(status) }
  }

  /// Runs a recording, unless it is running.
  func begin(_ status: RecordingStatus) {
    let id = status.id
    guard runs[id] == nil else { return }
    let run = RecordingRun(status, shop: shop)
    let task = Task {
      await run.run()
      end(id)
    }
    runs[id] = (run, task)
  }

  private func end(_ id: String) { runs[id] = nil }

  /// Ends a recording soon, if it is running. If it is not and should be, its files are made now.
  func stop(_ status: RecordingStatus) {
    runs[status.id]?.run.stop()
    if !status.state.isFinal { begin(status) }
  }

  /// Cancels all runs, and waits until they have ended. Their recordings go on with the next coordinator.
  func cancelRuns() async {
    let running = Array(runs.values)
    for (_, task) in running { task.cancel() }
    for (_, task) in running { await task.value }
  }
}
