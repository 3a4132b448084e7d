import FarmAPI
import Foundation
import Threads

/// Starts and stops the runs of recordings. Cancels them when it is released.
actor Recorder {
  private let shop: Workshop
  private var store: RecordingStore { shop.recordings }
  private let allowed: AllowedRecordingSources
  private var runs: [String: (run: RecordingRun, task: Task<Void, Never>)] = [:]

  init(shop: Workshop, allowed: AllowedRecordingSources) {
    self.shop = shop
    self.allowed = allowed
  }

  deinit {
    for (_, task) in runs.values { task.cancel() }
  }

  /// Continues the recordings that had not ended when the coordinator stopped.
  func start() async throws {
    try await finishDeletions()
    for status in try await shop.farm.unfinishedRecordings() { try begin(status, isResumed: true) }
  }

  /// Finishes or undoes the deletions that were interrupted when the coordinator stopped. Other files that are not in
  /// the ledger are kept, because they may be newer than a ledger that was restored from a backup.
  private func finishDeletions() async throws {
    for id in try await shop.threads.run({ [store] in try store.removals() }) {
      if try await shop.farm.knows(recording: id) {
        try await shop.threads.run { [store] in store.cancelRemoval(of: id) }
      } else {
        removeFiles(of: id)
      }
    }
  }

  /// Deletes a recording that has ended, and then its files.
  func delete(_ id: String) async throws {
    try await shop.threads.run { [store] in try store.beginRemoval(of: id) }
    do {
      try await shop.farm.note([.deleted], ofRecording: id)
    } catch {
      // It may have taken place nevertheless. If that cannot be found out, the next start does.
      if (try? await shop.farm.knows(recording: id)) == true {
        try? await shop.threads.run { [store] in store.cancelRemoval(of: id) }
      }
      throw error
    }
    let removal = removeFiles(of: id)
    // An object store may take minutes.
    if store.isInPlace { await removal.value }
  }

  /// Removes the files of a recording that is not in the ledger any more. If it fails, the next start tries again.
  @discardableResult
  private func removeFiles(of id: String) -> Task<Void, Never> {
    Task { [store, shop] in
      let fields: LogFields = ["recording": id]
      do {
        try await shop.persist("remove the files of a deleted recording", fields) {
          try await BlockingThread.run(named: "removal") { try store.remove(id) }
        }
      } catch {
        shop.log.error(
          "cannot remove the files of a deleted recording: \(error): the next start tries again",
          fields)
      }
    }
  }

  /// The stream that a recording's submitter uploads; `nil` if the recording accepts no upload.
  func upload(to id: String) -> RecordingUpload? { runs[id]?.run.upload }

  /// Runs a recording, unless it is running.
  ///
  /// - Parameter isResumed: whether the recording began before the coordinator started.
  func begin(_ status: RecordingStatus, isResumed: Bool = false) throws {
    let id = status.id
    guard runs[id] == nil else { return }
    let upload = status.source == .upload && !isResumed ? try RecordingUpload() : nil
    let run = RecordingRun(status, from: upload, shop: shop, allowed: allowed)
    let task = Task { [weak self] in
      await run.run()
      await self?.end(id)
    }
    runs[id] = (run, task)
  }

  private func end(_ id: String) { runs[id] = nil }

  /// Tells a running recording to end. If it is not running although it has not ended, its files are made now.
  func stop(_ status: RecordingStatus) throws {
    runs[status.id]?.run.stop()
    if !status.state.isFinal { try begin(status, isResumed: true) }
  }

  /// How long runs may take to commit what they have received when the coordinator stops.
  private static let patience = Duration.seconds(5)

  /// Ends all runs because the coordinator stops. They commit what they have received, and the next start of the
  /// coordinator continues their recordings.
  func pauseRuns() async {
    let running = Array(runs.values)
    for (run, _) in running { run.pause() }
    let limit = Task {
      try await Task.sleep(for: Self.patience)
      for (_, task) in running { task.cancel() }
    }
    for (_, task) in running { await task.value }
    limit.cancel()
  }
}
