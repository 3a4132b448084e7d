import FarmAPI
import Scheduling

/// A client that watches the farm, or one of its jobs.
package struct Subscriber: Sendable {
  /// The watched job; `nil` for every job and worker.
  let job: JobID?
  /// The watching caller. Submitters receive events only about their own jobs.
  let caller: Caller
  /// Returns whether the client may still watch.
  let isInForce: @Sendable () -> Bool
  /// Its slot among the open streams.
  let slot: Occupancy.Slot?
  /// The states that its stream begins with.
  let opening: EventOpening
  /// The id of the last event that it received over an earlier stream, if its stream continues from there.
  let resumedAfter: String?
  /// The changes that follow them.
  let stream: AsyncStream<FarmEvent>.Continuation
  /// The number of the last change before it subscribed.
  var since: UInt64 = 0

  package init(
    job: JobID?, caller: Caller, isInForce: @escaping @Sendable () -> Bool = { true },
    slot: Occupancy.Slot? = nil, opening: EventOpening, resumedAfter: String? = nil,
    stream: AsyncStream<FarmEvent>.Continuation
  ) {
    self.job = job
    self.caller = caller
    self.isInForce = isInForce
    self.slot = slot
    self.opening = opening
    self.resumedAfter = resumedAfter
    self.stream = stream
  }
}

extension Subscriber {
  /// Whether it receives a job's changes.
  func watches(_ status: JobStatus) -> Bool {
    watches(JobID(rawValue: status.id), of: status.submitter)
  }

  /// Whether it is told that a job or worker is gone.
  func watches(removalOf subject: EventSubject) -> Bool {
    switch subject {
    case .removed(let job, of: let submitter): watches(job, of: submitter)
    case .removedWorker: watchesWorkers
    case .job, .worker: false
    }
  }

  private func watches(_ id: JobID, of submitter: String?) -> Bool {
    if let job { return job == id }
    return caller.confinement == nil || caller.confinement == submitter
  }

  /// Whether it receives changes to workers.
  var watchesWorkers: Bool { job == nil && caller.confinement == nil }
}
