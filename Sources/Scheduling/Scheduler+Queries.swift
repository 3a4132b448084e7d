import FarmAPI

/// The progress of a job's rendering.
public struct JobProgress: Hashable, Sendable {
  /// The number of the job's segments in each state.
  public var segments: SegmentCounts
  /// The number of frames in accepted chunks, and of those that running attempts have reported.
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
  /// The number of frames that heartbeats have reported.
  public var framesRendered: Int
}

/// A segment as the scheduler knows it.
public struct ScheduledSegment: Hashable, Sendable {
  /// The progress of a segment.
  public enum State: Hashable, Sendable {
    /// Waiting for a worker.
    case pending
    /// Leased by a worker.
    case leased
    /// Completed by a worker.
    case completed
    /// Completed with the chunk of another segment.
    case reused
  }

  /// The number of its output frames.
  public let frameCount: Int
  /// Its progress.
  public let state: State
}

extension SegmentRecord {
  fileprivate var scheduledState: ScheduledSegment.State {
    switch state {
    case .pending: .pending
    case .leased: .leased
    case .completed: deliverer == nil ? .reused : .completed
    }
  }
}

extension Scheduler {
  /// A job's progress, in O(1); `nil` if the job is not being rendered.
  public func progress(of job: JobID) -> JobProgress? {
    jobs[job].map {
      JobProgress(
        segments: $0.counts, framesRendered: $0.framesCompleted + $0.framesInProgress)
    }
  }

  /// A number that changes whenever a segment of the job enters another state; `nil` if the job is not being rendered.
  public func revision(of job: JobID) -> Int? { jobs[job]?.revision }

  /// The states of a job's segments, in order; empty if the job is not being rendered.
  public func segmentStates(of job: JobID) -> [ScheduledSegment] {
    (jobs[job]?.segments ?? []).map { segment in
      ScheduledSegment(
        frameCount: segment.frames.count,
        state: segment.scheduledState)
    }
  }

  /// The running attempts at a segment, the earlier one first; the second is a speculative copy.
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

  /// Whether a segment waits for its first chunk: no worker has a lease of it, and it is not under audit.
  public func isPending(_ segment: SegmentID) -> Bool {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index) else {
      return false
    }
    let record = job.segments[segment.index]
    return record.state == .pending && record.held.isEmpty
  }

  /// The memory that a worker needs for a segment that is being rendered, in bytes: what the plan expects, rounded up by
  /// at most a sixteenth.
  public func memory(of segment: SegmentID) -> Int? {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index) else {
      return nil
    }
    return job.segments[segment.index].memory
  }

  /// Whether a worker is kept free for a segment that has waited for memory too long.
  package func isReserved(_ worker: WorkerID) -> Bool { workers[worker]?.reservation != nil }

  /// The fingerprint of the workers that serve a job, once a lease has fixed it.
  public func fingerprint(of job: JobID) -> String? { jobs[job]?.fingerprint }

  /// The fingerprints of the available workers.
  public var fingerprints: [String] {
    supply[nil]?.largestMemory.keys.sorted() ?? []
  }

  /// A worker's name, for people.
  public func name(of worker: WorkerID) -> String? { workers[worker]?.entry.name }

  /// A worker's registration; `nil` if the worker is unknown.
  public func entry(of worker: WorkerID) -> WorkerEntry? { workers[worker]?.entry }

  /// The number of current leases of a submitter's jobs.
  package func leaseCount(of submitter: String?) -> Int { running[submitter] ?? 0 }

  /// The current leases of a worker.
  public func tokens(of worker: WorkerID) -> [LeaseToken] {
    workers[worker]?.leases.sorted { $0.rawValue < $1.rawValue } ?? []
  }

  /// The number of current leases.
  public var leaseCount: Int { leases.count }

  /// The number of known workers.
  public var workerCount: Int { workers.count }

  /// The number of waiting requests.
  public var waitingCount: Int { requests.count }

  /// The length of the queues of waiting requests, including requests that no longer wait.
  package var queuedPlaces: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// A worker's status as the farm reports it; `nil` if the worker is unknown.
  public func status(of worker: WorkerID, at now: Instant) -> WorkerStatus? {
    workers[worker].map { status($0, at: now) }
  }

  /// The status of every worker as the farm reports it, by name, then id.
  public func workerStatuses(at now: Instant) -> [WorkerStatus] {
    workers.values.map { status($0, at: now) }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  private func status(_ worker: WorkerRecord, at now: Instant) -> WorkerStatus {
    let silence = worker.requests.isEmpty ? now - worker.lastSeen : .zero
    var status = WorkerStatus(
      id: worker.entry.id.rawValue, name: worker.entry.name, slots: worker.entry.slots,
      leases: worker.leases.count, state: worker.state, segmentsCompleted: worker.completed,
      segmentsFailed: worker.failed, secondsSinceSeen: silence / .seconds(1),
      memory: worker.entry.memory, memoryInUse: worker.memoryInUse, reason: worker.distrust,
      pools: worker.entry.pools.isEmpty ? nil : worker.entry.pools.map(\.description).sorted(),
      priority: worker.entry.priority == 0 ? nil : worker.entry.priority)
    status.host = worker.entry.host
    status.cores = worker.entry.cores
    status.version = worker.entry.version
    return status
  }
}
