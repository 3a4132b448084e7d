import Scheduling
import Synchronization

/// A job or a worker whose state an event reports.
package enum EventSubject: Hashable, Sendable {
  case job(JobID)
  case worker(WorkerID)
  /// A job that was deleted, and its submitter.
  case removed(JobID, of: String?)
  /// A worker that must register again.
  case removedWorker(WorkerID)
}

/// The jobs and workers whose states must still be sent at the start of a stream of events.
///
/// It stores only their ids. Each state is read when the client is ready for it, so that it is current and a slow
/// client costs little memory.
package final class EventOpening: Sendable {
  private struct State {
    /// The subjects in reverse order.
    var order: [EventSubject]
    var waiting: Set<EventSubject>
    /// Whether the stream has begun.
    var hasBegun = false
  }

  private let state: Mutex<State>

  /// Creates an opening. The subjects are distinct and in order.
  package init(_ subjects: [EventSubject]) {
    state = Mutex(State(order: subjects.reversed(), waiting: Set(subjects)))
  }

  /// The number of subjects that have not been sent.
  var count: Int { state.withLock { $0.order.count } }

  /// Whether every subject has been sent.
  var isEmpty: Bool { count == 0 }

  /// Whether a subject has not been sent yet, so that a change to it need not be sent separately.
  func contains(_ subject: EventSubject) -> Bool {
    state.withLock { $0.waiting.contains(subject) }
  }

  /// Returns whether this is the first call, which is for the first event of the stream.
  func begin() -> Bool {
    state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
  }

  /// Removes and returns the next subject.
  func next() -> EventSubject? {
    state.withLock { state in
      guard let subject = state.order.popLast() else { return nil }
      state.waiting.remove(subject)
      return subject
    }
  }
}
