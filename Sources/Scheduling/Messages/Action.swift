import FarmAPI

/// Something that the shell is to do, in order.
public enum Action: Hashable, Sendable {
  /// Answer a request with a lease. An attempt begins.
  case grant(RequestID, Grant)
  /// Answer a request without one.
  case refuse(RequestID, Refusal)
  /// Note that only workers of the fingerprint serve the job from now on; any worker where it is `nil`.
  case fixFingerprint(JobID, String?)
  /// Note that a lease is over, and how.
  case endAttempt(Grant, AttemptOutcome)
  /// Note that a job's last chunk was accepted.
  case finishRendering(JobID)
  /// Record that a segment has the chunk of an identical one.
  case shareChunk(SegmentID, with: SegmentID)
  /// Record the verdict on a segment's chunks, and answer with ``Event/auditSettled(_:_:)``.
  case settleAudit(SegmentID, AuditVerdict)
  /// Record that a worker is distrusted.
  case distrust(WorkerID)
  /// Note that an accepted chunk was found bad: its segment is to be rendered again. With whose fault it is, if that
  /// is known. Where every chunk was there, the job's rendering goes on.
  case dropChunk(SegmentID, FailedAttempt?)
  /// Record that an accepted chunk must not be used, so its segment is rendered again. If the job had all its chunks,
  /// it returns to rendering.
  case forgetChunk(SegmentID)
  /// Record that a job starts over from its first segment, because no worker is left whose chunks match those that it
  /// has.
  case restartJob(JobID)
  /// Tell that a job waits for workers that are not there; ``Scheduler/waiting(of:at:)`` says for which.
  case noteWaiting(JobID)
  /// Give a segment up and end its job, which the scheduler has forgotten already.
  case failJob(SegmentID, JobFailure)
  /// Note that a worker gets no leases until the instant.
  case setAside(WorkerID, until: Instant)
  /// Note that a worker that was set aside gets leases again.
  case forgive(WorkerID)
  /// Note that a worker has been silent for longer than a lease holds.
  case loseWorker(WorkerID)
  /// Note that a worker has been silent for so long that it must register again.
  case forgetWorker(WorkerID)
  /// Answer a heartbeat.
  case answerHeartbeat(LeaseToken, stop: Bool)
  /// Answer that the lease is not, or no longer, in force.
  case rejectStale(LeaseToken)
}

/// A lease as it was granted.
public struct Grant: Hashable, Sendable {
  /// The token that proves the lease.
  public var token: LeaseToken
  /// Who has it.
  public var worker: WorkerID
  /// The segment to render.
  public var segment: SegmentID
  /// Which try at the segment it is, from 1.
  public var attempt: Int
  /// Whether it is a speculative copy: another worker has had the segment for long.
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
  /// Nothing came up in time.
  case nothingToDo
  /// The worker is not known: it must register.
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
  /// No heartbeat came in time.
  case expired
  /// Heartbeats came, and no progress with them.
  case stuck(FailureReport)
  /// Heartbeats came, but the worker did not get the assets that it needs. With the time since its last other progress.
  case heldUp(Duration)
  /// Another worker's chunk of the segment came first.
  case superseded
  /// The worker gave it back without fault.
  case givenBack
  /// The job ended first.
  case revoked
  /// The worker is distrusted.
  case distrusted
}
