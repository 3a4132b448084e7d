import FarmAPI

/// An action for the shell. Actions are performed in order.
public enum Action: Hashable, Sendable {
  /// Answer a request with a lease. An attempt begins.
  case grant(RequestID, Grant)
  /// Answer a request without one.
  case refuse(RequestID, Refusal)
  /// Record that only workers of the fingerprint serve the job from now on; `nil` for any worker.
  case fixFingerprint(JobID, String?)
  /// Record that a lease has ended, and how.
  case endAttempt(Grant, AttemptOutcome)
  /// Record that a job's last chunk was accepted.
  case finishRendering(JobID)
  /// Record that a segment has the chunk of an identical one.
  case shareChunk(SegmentID, with: SegmentID)
  /// Record the verdict on a segment's chunks, and answer with ``Event/auditSettled(_:_:)``.
  case settleAudit(SegmentID, AuditVerdict)
  /// Record that a worker is distrusted.
  case distrust(WorkerID)
  /// Record that an accepted chunk was found bad, so its segment is rendered again. The attempt is the one to blame, if
  /// known. If the job had all its chunks, it returns to rendering.
  case dropChunk(SegmentID, FailedAttempt?)
  /// Record that an accepted chunk must not be used, so its segment is rendered again. If the job had all its chunks,
  /// it returns to rendering.
  case forgetChunk(SegmentID)
  /// Record that a job starts over from its first segment, because no worker is left whose chunks match its own.
  case restartJob(JobID)
  /// Report that the workers that a job lacks have changed; ``Scheduler/waiting(of:at:)`` describes them.
  case noteWaiting(JobID)
  /// Report that a job has a segment that is too large for every worker; ``Scheduler/waiting(of:at:)`` describes it.
  case noteTooLarge(JobID)
  /// Report that a worker is reserved until a segment of the job fits, because smaller segments have overtaken that
  /// segment for too long.
  case reserve(WorkerID, for: JobID)
  /// Give a segment up and fail its job, which the scheduler has already forgotten.
  case failJob(SegmentID, JobFailure)
  /// Record that a worker gets no leases until the instant.
  case setAside(WorkerID, until: Instant)
  /// Record that a worker that was set aside gets leases again.
  case forgive(WorkerID)
  /// Record that a worker has been silent for longer than a lease lasts.
  case loseWorker(WorkerID)
  /// Record that a worker has been silent for so long that it must register again.
  case forgetWorker(WorkerID)
  /// Answer a heartbeat.
  case answerHeartbeat(LeaseToken, stop: Bool)
  /// Answer that the lease is not in force.
  case rejectStale(LeaseToken)
}

/// A granted lease.
public struct Grant: Hashable, Sendable {
  /// The token that proves the lease.
  public var token: LeaseToken
  /// The worker that has the lease.
  public var worker: WorkerID
  /// The segment to render.
  public var segment: SegmentID
  /// The number of the attempt at the segment, from 1.
  public var attempt: Int
  /// Whether it is a speculative copy, because another worker has been rendering the segment for a long time.
  public var isCopy: Bool

  /// Creates a grant.
  public init(
    token: LeaseToken, worker: WorkerID, segment: SegmentID, attempt: Int, isCopy: Bool = false
  ) {
    self.token = token
    self.worker = worker
    self.segment = segment
    self.attempt = attempt
    self.isCopy = isCopy
  }
}

/// The reason why a request gets no lease.
public enum Refusal: Hashable, Sendable {
  /// No segment became available in time.
  case nothingToDo
  /// The worker is unknown and must register.
  case unknownWorker
}

/// How an attempt ended.
public enum AttemptOutcome: Hashable, Sendable {
  /// Its chunk was accepted.
  case completed
  /// Its chunk is held for comparison with another worker's.
  case held
  /// The worker reported a failure.
  case failed(FailureReport)
  /// No heartbeat arrived in time.
  case expired
  /// Heartbeats arrived, but no progress was made.
  case stuck(FailureReport)
  /// Heartbeats arrived, but the worker did not get the assets that it needs. The duration is the time since its last
  /// other progress.
  case heldUp(Duration)
  /// Another worker delivered the segment's chunk first.
  case superseded
  /// The worker gave the lease back without fault.
  case givenBack
  /// The job ended first.
  case revoked
  /// The worker is distrusted.
  case distrusted
}
