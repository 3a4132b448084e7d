import FarmAPI
import Foundation

/// Starts and stops the runs of recordings.
actor Recorder {
  private let shop: Workshop
  private var runs: [String: (run: RecordingRun, task: Task<Void, Never>)] = [:]

  init(shop: Workshop) { self.shop = shop }

  /// Continues the recordings that an earlier coordinator left.
  func start() async throws {
    for status in try await shop.farm.unfinishedRecordings() { await begin(status) }
  }

  /// Runs a recording, unless it is running.
  func begin(_ status: RecordingStatus) async {
    let id = status.id
    guard runs[id] == nil, let submission = try? await shop.farm.submission(ofRecording: id),
      runs[id] == nil
    else { return }
    let run = RecordingRun(status, submission, shop: shop)
    let task = Task {
      await run.run()
      end(id)
    }
    runs[id] = (run, task)
  }

  private func end(_ id: String) { runs[id] = nil }

  /// Ends a recording soon. Returns whether it was running.
  func stop(_ id: String) -> Bool {
    runs[id]?.run.stop()
    return runs[id] != nil
  }

  /// Cancels all runs, and waits until they have ended. Their recordings go on with the next coordinator.
  func cancelRuns() async {
    let running = Array(runs.values)
    for (_, task) in running { task.cancel() }
    for (_, task) in running { await task.value }
  }
}
