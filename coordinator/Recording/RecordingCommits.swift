import FarmAPI
import Foundation
import Recording
import Synchronization

/// Stores what a recorder has written and enters it in the ledger, in the order in which it was recorded.
///
/// While the object store or the ledger does not answer, the recorder continues to write to this host's disk, and the
/// changes wait here.
final class RecordingCommits: Sendable {
  private let changes: AsyncStream<[RecordingChange]>.Continuation
  private let task: Task<Void, any Error>
  private let failure: FirstFailure

  /// The error after which nothing more is committed.
  private final class FirstFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func set(_ new: any Error) { error.withLock { $0 = $0 ?? new } }
    func rethrow() throws { if let error = error.withLock(\.self) { throw error } }
  }

  init(of id: String, shop: Workshop, fields: LogFields) {
    let (stream, changes) = AsyncStream<[RecordingChange]>.makeStream()
    let failure = FirstFailure()
    (self.changes, self.failure) = (changes, failure)
    task = Task {
      do {
        for await changes in stream {
          try await Self.commit(changes, of: id, shop: shop, fields: fields)
        }
      } catch {
        failure.set(error)
        throw error
      }
    }
  }

  deinit { changes.finish() }

  /// Commits changes after those that were added before.
  ///
  /// - Throws: the error because of which an earlier change was not committed.
  func add(_ new: [RecordingChange]) throws {
    try failure.rethrow()
    changes.yield(new)
  }

  /// Waits until everything is committed. Nothing can be added afterwards.
  func finish() async throws {
    changes.finish()
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private static func commit(
    _ changes: [RecordingChange], of id: String, shop: Workshop, fields: LogFields
  ) async throws {
    var entries: [RecordingChange] = []
    func enter() async throws {
      guard !entries.isEmpty else { return }
      let written = entries
      try await shop.persist("enter what was recorded in the ledger", fields) {
        try await shop.farm.note(written, ofRecording: id)
      }
      entries = []
    }
    for change in changes {
      if case .fragmentWritten(let part, let fragment) = change {
        // The ledger has the part before anything of it is stored.
        try await enter()
        let stored = StoredFragment(part: part, fragment: fragment)
        try await shop.persist("store what was recorded", fields) {
          try await shop.threads.run { [recordings = shop.recordings] in
            try recordings.keep(stored, of: id)
          }
        }
      }
      entries.append(change)
    }
    try await enter()
  }
}

extension Workshop {
  /// The time between two tries.
  private static let outagePause = Duration.seconds(1)

  /// Repeats a step of a recording for as long as the object store or the ledger does not answer.
  ///
  /// - Parameter purpose: the step, as a phrase that completes "cannot …".
  func persist<Value: Sendable>(
    _ purpose: String, _ fields: LogFields, isolation: isolated (any Actor)? = #isolation,
    _ step: () async throws -> Value
  ) async throws -> Value {
    var isReported = false
    while true {
      do { return try await step() } catch  where RunTries.isOutage(error) {
        if !isReported { log.error("cannot \(purpose): \(error): trying again", fields) }
        isReported = true
        try await Task.sleep(for: Self.outagePause)
      }
    }
  }
}
