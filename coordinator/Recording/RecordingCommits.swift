import FarmAPI
import Foundation
import Recording
import Synchronization
import Threads

/// Stores what a recorder has written and enters it in the ledger, in the order in which it was recorded.
///
/// While the object store or the ledger does not answer, the recorder continues to write to this host's disk, and the
/// changes wait here.
final class RecordingCommits: Sendable {
  private let changes: AsyncStream<[RecordingChange]>.Continuation
  private let task: Task<Void, any Error>
  private let state: StateBox
  private let log: Log
  private let fields: LogFields

  private struct State {
    /// The number of fragments that are not committed yet.
    var waiting = 0
    /// The error after which nothing more is committed.
    var failure: (any Error)?
  }

  private final class StateBox: Sendable {
    let value = Mutex(State())
  }

  init(of id: String, shop: Workshop, fields: LogFields) {
    let (stream, changes) = AsyncStream<[RecordingChange]>.makeStream()
    let state = StateBox()
    (self.changes, self.state, log, self.fields) = (changes, state, shop.log, fields)
    task = Task {
      do {
        for await changes in stream {
          try await Self.commit(changes, of: id, shop: shop, fields: fields)
          state.value.withLock { $0.waiting -= Self.fragmentCount(changes) }
        }
      } catch {
        state.value.withLock { $0.failure = error }
        throw error
      }
    }
  }

  deinit { changes.finish() }

  private static func fragmentCount(_ changes: [RecordingChange]) -> Int {
    changes.count {
      if case .fragmentWritten = $0 { true } else { false }
    }
  }

  /// Commits changes after those that were added before.
  ///
  /// - Throws: the error because of which an earlier change was not committed.
  func add(_ new: [RecordingChange]) throws {
    try check()
    state.value.withLock { $0.waiting += Self.fragmentCount(new) }
    changes.yield(new)
  }

  /// Whether there are fragments that are not committed.
  var areWaiting: Bool { state.value.withLock { $0.waiting > 0 } }

  /// Throws the error because of which a change was not committed, if there is one.
  func check() throws {
    if let failure = state.value.withLock(\.failure) { throw failure }
  }

  /// Waits until everything is committed. Nothing can be added afterwards.
  func finish() async throws {
    changes.finish()
    do {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
      // A task that is cancelled between two changes ends without an error.
      try Task.checkCancellation()
    } catch {
      let waiting = state.value.withLock(\.waiting)
      if waiting > 0 {
        log.error(
          "up to \(waiting) fragments are lost, because they could not be stored", fields)
      }
      throw error
    }
  }

  private static func commit(
    _ changes: [RecordingChange], of id: String, shop: Workshop, fields: LogFields
  ) async throws {
    guard !shop.recordings.isInPlace else {
      return try await enter(changes, of: id, shop: shop, fields: fields)
    }
    var entries: [RecordingChange] = []
    for change in changes {
      if case .fragmentWritten(let part, let fragment) = change {
        // The ledger has the part before anything of it is stored.
        try await enter(entries, of: id, shop: shop, fields: fields)
        entries = []
        let stored = StoredFragment(part: part, fragment: fragment)
        try await shop.persist("store what was recorded", fields) {
          // A store that does not answer must neither hold a thread that others need nor delay a stop.
          try await BlockingThread.runUntilCancelled(named: "fragment") {
            [recordings = shop.recordings] in
            try recordings.keep(stored, of: id)
          }
        }
      }
      entries.append(change)
    }
    try await enter(entries, of: id, shop: shop, fields: fields)
  }

  private static func enter(
    _ entries: [RecordingChange], of id: String, shop: Workshop, fields: LogFields
  ) async throws {
    guard !entries.isEmpty else { return }
    try await shop.persist("enter what was recorded in the ledger", fields) {
      try await shop.farm.note(entries, ofRecording: id)
    }
  }
}
