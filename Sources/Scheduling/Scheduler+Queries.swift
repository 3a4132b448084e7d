import FarmAPI

/// How far a job's rendering has come.
public struct JobProgress: Hashable, Sendable {
  /// Its segments in each state.
  public var segments: SegmentCounts
  /// Frames of accepted chunks and, so far as reported, of running attempts.
  public var framesRendered: Int

  /// Creates progress.
  public init(segments: SegmentCounts, framesRendered: Int) {
    self.segments = segments
    self.framesRendered = framesRendered
  }
}

/// The state of a segment's running attempt.
public struct RunningAttempt: Hashable, Sendable {
  /// The lease.
  public var grant: Grant
  /// Frames that heartbeats have reported.
  public var framesRendered: Int
}

extension Scheduler {
  /// How far a job has come, in O(1); `nil` for a job that is not being rendered.
  public func progress(of job: JobID) -> JobProgress? {
    jobs[job].map {
      JobProgress(
        segments: $0.counts, framesRendered: $0.framesCompleted + $0.framesInProgress)
    }
  }

  /// The running attempts at a segment, the earlier first; the second is a speculative copy.
  public func runningAttempts(at segment: SegmentID) -> [RunningAttempt] {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index) else {
      return []
    }
    return job.segments[segment.index].leases.compactMap(runningAttempt)
  }

  /// The running attempt under a lease; `nil` if the lease is not in force.
  public func runningAttempt(under token: LeaseToken) -> RunningAttempt? {
    leases[token].map { RunningAttempt(grant: $0.grant, framesRendered: $0.framesRendered) }
  }

  /// The output frames of a segment that is being rendered.
  public func frames(of segment: SegmentID) -> Range<Int>? {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index) else {
      return nil
    }
    return job.segments[segment.index].frames
  }

  /// The fingerprint that serves a job, once a lease has fixed it.
  public func fingerprint(of job: JobID) -> String? { jobs[job]?.fingerprint }

  /// The fingerprints of which there are workers that can be counted on.
  public var fingerprints: [String] {
    availableWorkers.filter { $0.value > 0 }.keys.sorted()
  }

  /// The name of a worker, for people.
  public func name(of worker: WorkerID) -> String? { workers[worker]?.entry.name }

  /// A worker as it registered; `nil` for an unknown one.
  public func entry(of worker: WorkerID) -> WorkerEntry? { workers[worker]?.entry }

  /// The number of current leases of a submitter's jobs.
  package func leaseCount(of submitter: String?) -> Int { running[submitter] ?? 0 }

  /// The number of current leases.
  public var leaseCount: Int { leases.count }

  /// The number of known workers.
  public var workerCount: Int { workers.count }

  /// The number of waiting requests.
  public var waitingCount: Int { requests.count }

  /// The number of places that the queues of waiting requests take up, those of requests that no longer wait included.
  package var queuedPlaces: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// A worker as the farm reports it; `nil` for one that is not known.
  public func status(of worker: WorkerID, at now: Instant) -> WorkerStatus? {
    workers[worker].map { status($0, at: now) }
  }

  /// Every worker as the farm reports it, by name, then id.
  public func workerStatuses(at now: Instant) -> [WorkerStatus] {
    workers.values.map { status($0, at: now) }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private func status(_ worker: WorkerRecord, at now: Instant) -> WorkerStatus {
    let state: WorkerStatus.State =
      if worker.isLost {
        .lost
      } else if worker.distrust != nil {
        .distrusted
      } else if worker.isDraining {
        .draining
      } else if worker.asideUntil != nil {
        .setAside
      } else {
        .active
      }
    let silence = worker.requests.isEmpty ? now - worker.lastSeen : .zero
    return WorkerStatus(
      id: worker.entry.id.rawValue, name: worker.entry.name, slots: worker.entry.slots,
      leases: worker.leases.count, state: state, segmentsCompleted: worker.completed,
      segmentsFailed: worker.failed, secondsSinceSeen: silence / .seconds(1),
      reason: worker.distrust)
  }
}
