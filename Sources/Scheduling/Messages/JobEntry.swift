import FarmAPI
import Planning

/// A job that is added to the scheduler.
public struct JobEntry: Hashable, Sendable {
  /// The job's id.
  public var id: JobID
  /// The job's position in order of age: jobs with smaller numbers are served first. Distinct among jobs.
  public var order: Int
  /// The job's priority: jobs with a higher priority are served before all others.
  public var priority: Int
  /// The job's submitter. Submitters with jobs of one priority share the workers.
  public var submitter: String?
  /// The fingerprint of the workers that serve it, once a lease has fixed it.
  public var fingerprint: String?
  /// The pool whose workers serve it; `nil` for all workers.
  public var pool: PoolName?
  /// Whether its segments are leased in the plan's order instead of longest first.
  public var isInOrder: Bool
  /// Its segments, in the plan's order.
  public var segments: [SegmentEntry]
  /// The content of each segment, if known and if chunks may be shared.
  public var contents: [SegmentContent]?
  /// The submitters whose jobs share its chunks.
  public var audience: ReuseAudience

  /// Creates a job.
  public init(
    id: JobID, order: Int, priority: Int = 0, submitter: String? = nil,
    fingerprint: String? = nil, pool: PoolName? = nil, isInOrder: Bool = false,
    segments: [SegmentEntry],
    contents: [SegmentContent]? = nil,
    audience: ReuseAudience = .anyone
  ) {
    self.id = id
    self.order = order
    self.priority = priority
    self.submitter = submitter
    self.fingerprint = fingerprint
    self.pool = pool
    self.isInOrder = isInOrder
    self.segments = segments
    self.contents = contents
    self.audience = audience
  }
}

/// A segment of a job that is added to the scheduler.
public struct SegmentEntry: Hashable, Sendable {
  /// The segment's progress.
  public enum State: Hashable, Sendable {
    /// Waiting for a worker.
    case pending
    /// Leased since before a restart: by one worker, or by two if one has a speculative copy, the earlier lease first.
    case leased([Holder])
    /// Its chunk is accepted. The worker delivered it, if known.
    case completed(WorkerID?)
  }

  /// A worker that has leased a segment.
  public struct Holder: Hashable, Sendable {
    /// The token that proves the lease.
    public var token: LeaseToken
    /// The worker.
    public var worker: WorkerID
    /// The number of the attempt at the segment, from 1.
    public var attempt: Int

    /// Creates a holder.
    public init(token: LeaseToken, worker: WorkerID, attempt: Int) {
      self.token = token
      self.worker = worker
      self.attempt = attempt
    }
  }

  /// The output frames.
  public var frames: Range<Int>
  /// The expected work, in any unit. After a job's first segment, the longest ones are leased first, unless the job
  /// is rendered in order.
  public var cost: Int64
  /// The segment's progress.
  public var state: State
  /// The number of attempts that were started.
  public var attempts: Int
  /// The attempts that failed.
  public var failures: [FailedAttempt]
  /// The memory that rendering it is expected to need, in bytes; 0 if unknown.
  public var memory: Int
  /// The number of expired leases.
  public var expiries: Int
  /// The held chunks, in the order of their delivery.
  public var held: [HeldChunk]

  /// Creates a segment. The default cost is the number of frames.
  public init(
    frames: Range<Int>, cost: Int64? = nil, memory: Int = 0, state: State = .pending,
    attempts: Int = 0, failures: [FailedAttempt] = [], expiries: Int = 0, held: [HeldChunk] = []
  ) {
    self.frames = frames
    self.cost = cost ?? Int64(frames.count)
    self.memory = memory
    self.state = state
    self.attempts = attempts
    self.failures = failures
    self.expiries = expiries
    self.held = held
  }
}

/// An attempt at a segment that failed.
public struct FailedAttempt: Hashable, Sendable {
  /// The worker.
  public var worker: WorkerID
  /// The worker's name, for messages.
  public var workerName: String
  /// The worker's report.
  public var report: FailureReport

  /// Creates an attempt.
  public init(worker: WorkerID, workerName: String, report: FailureReport) {
    self.worker = worker
    self.workerName = workerName
    self.report = report
  }
}
