/// The numbers of the farm's recent changes, so that a client that reconnects is told only what has changed since.
///
/// It stores the last change of each job and worker, and forgets the oldest ones beyond a limit.
package struct ChangeLog: Sendable {
  /// A change of a job or worker.
  package struct Change: Hashable, Sendable {
    /// Larger than the number of every earlier change.
    package let number: UInt64
    /// The job or worker that has changed or is gone.
    package let subject: EventSubject
  }

  /// The maximum number of jobs and workers that are remembered.
  private let limit: Int
  /// The changes in order, including some that later ones have superseded.
  private var changes: [Change] = []
  /// The number of the last change of each job and worker.
  private var last: [EventSubject: UInt64] = [:]
  /// The number of the last change that was forgotten.
  private var forgotten: UInt64 = 0
  /// The number of the last change; 0 if there was none.
  package private(set) var number: UInt64 = 0

  /// Creates an empty log, which remembers at most `limit` jobs and workers.
  package init(limit: Int = 8192) { self.limit = limit }

  /// Adds a change, and returns its number.
  package mutating func append(_ subject: EventSubject) -> UInt64 {
    number += 1
    switch subject {
    case .removed(let job, of: _): last[.job(job)] = nil
    case .removedWorker(let worker): last[.worker(worker)] = nil
    case .job, .worker: break
    }
    last[subject] = number
    changes.append(Change(number: number, subject: subject))
    if last.count > limit { forgetOldest() }
    if changes.count > 2 * last.count + 1024 { dropSuperseded() }
    return number
  }

  /// The jobs and workers that have changed after a change with the given number, in order; `nil` if some of them are
  /// forgotten or there was no such change.
  package func subjects(since earlier: UInt64) -> [EventSubject]? {
    guard earlier >= max(forgotten, 1), earlier <= number else { return nil }
    let recent = changes.reversed().prefix { $0.number > earlier }.filter(isLast)
    return recent.reversed().map(\.subject)
  }

  private func isLast(_ change: Change) -> Bool { last[change.subject] == change.number }

  private mutating func dropSuperseded() { changes = changes.filter(isLast) }

  /// Forgets the older half, so that this happens rarely.
  private mutating func forgetOldest() {
    dropSuperseded()
    let old = changes.prefix(changes.count / 2)
    for change in old { last[change.subject] = nil }
    forgotten = old.last?.number ?? forgotten
    changes.removeFirst(old.count)
  }
}
