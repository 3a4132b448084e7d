import FarmAPI
import HTTP
import Scheduling

/// A client that watches the farm, or one of its jobs.
package struct Subscriber: Sendable {
  /// The watched job; `nil` for every job and worker.
  let job: JobID?
  /// The watching caller. Submitters receive events only about their own jobs.
  let caller: Caller
  /// Returns whether the client may still watch.
  let isInForce: @Sendable () -> Bool
  /// Its place among the open streams.
  let place: Occupancy.Place?
  /// The states that its stream begins with.
  let opening: EventOpening
  /// The changes that follow them.
  let stream: AsyncStream<ServerSentEvent>.Continuation

  package init(
    job: JobID?, caller: Caller, isInForce: @escaping @Sendable () -> Bool = { true },
    place: Occupancy.Place? = nil, opening: EventOpening,
    stream: AsyncStream<ServerSentEvent>.Continuation
  ) {
    self.job = job
    self.caller = caller
    self.isInForce = isInForce
    self.place = place
    self.opening = opening
    self.stream = stream
  }
}

extension Subscriber {
  /// Whether it receives a job's changes.
  func watches(_ status: JobStatus) -> Bool {
    if let job { return job.rawValue == status.id }
    return caller.confinement == nil || caller.confinement == status.submitter
  }

  /// Whether it receives changes to workers.
  var watchesWorkers: Bool { job == nil && caller.confinement == nil }
}
