import Scheduling
import Synchronization

/// A job or a worker whose state an event tells.
enum EventSubject: Hashable, Sendable {
  case job(JobID)
  case worker(WorkerID)
}

/// The jobs and workers whose states a stream of events still has to begin with.
///
/// It has only their ids. Each state is read when the client takes it, so that it is current and a slow client costs
/// little memory.
final class EventOpening: Sendable {
  private struct State {
    /// The subjects in reverse order.
    var order: [EventSubject]
    var waiting: Set<EventSubject>
  }

  private let state: Mutex<State>

  /// Creates an opening with different subjects, in order.
  init(_ subjects: [EventSubject]) {
    state = Mutex(State(order: subjects.reversed(), waiting: Set(subjects)))
  }

  /// The number of subjects that are left.
  var count: Int { state.withLock { $0.order.count } }

  /// Whether no subject is left.
  var isEmpty: Bool { count == 0 }

  /// Whether a subject is still to come, so that a change of it need not be told.
  func contains(_ subject: EventSubject) -> Bool {
    state.withLock { $0.waiting.contains(subject) }
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
