import FarmAPI
import Planning

/// The farm's state machine of leases and attempts: events in, actions out.
///
/// It does no I/O, has no clock and makes no tokens; the shell supplies those and performs the actions in order. Every
/// event takes O(log n) in the number of segments, workers and leases, except those that add or remove a whole job. A
/// chunk is given to many identical segments in slices, one per event.
///
/// Invariants: a segment has at most one lease, and at most one more on another worker if the first is slow and no
/// segment of the job is pending. The segments that a worker has leased fit in its memory together. A segment is
/// completed only when its chunk is accepted or an audit confirms one. All chunks of a job come from workers with one
/// fingerprint. Only one of several identical segments is leased to workers with a fingerprint, unless more were leased
/// before a restart.
public struct Scheduler: Sendable {
  /// The scheduler's limits.
  public let settings: SchedulerSettings

  var jobs: [JobID: JobRecord] = [:]
  var workers: [WorkerID: WorkerRecord] = [:]
  var leases: [LeaseToken: LeaseRecord] = [:]
  /// Leases of ended jobs whose workers must still be told to stop.
  var revoked: Set<LeaseToken> = []
  /// The segments of live jobs, by content.
  var contents: [SharedContent: ContentRecord] = [:]
  /// The contents whose delivered chunks still have to be given to waiting segments, in the order of their delivery.
  var sharing: ArraySlice<SharedContent> = []
  /// Whether a deadline continues with them.
  var isSharingDue = false
  /// The jobs with pending segments, by the fingerprint that they are bound to.
  var ready: [String?: ReadyJobs] = [:]
  /// The number of current leases by submitter.
  var running: [String?: Int] = [:]
  /// The memory that the failed attempts of all jobs use, in bytes.
  var failureBytes = 0
  /// The pace of all jobs' segments.
  var pace = Pace()
  /// Leases that take markedly longer than expected, of jobs that had no pending segments when this was noticed.
  var slow: Set<LeaseToken> = []
  var requests: [RequestID: LeaseRequest] = [:]
  /// The requests of workers that may be granted a lease, by the kind of worker. May contain ids of requests that no
  /// longer wait.
  var waiting: [WaitingLine: PriorityQueue<WaitingKey>] = [:]
  /// The workers with requests that wait until memory is free, and are not in `waiting` until then.
  var cramped: Set<WorkerID> = []
  /// The workers that are kept free for segments that have waited for memory too long.
  var reservations: [MemoryNeed: WorkerID] = [:]
  /// The available workers of each pool, and of the whole farm under `nil`.
  var supply: [PoolName?: WorkerSupply] = [:]
  /// The known workers of each pool.
  var poolWorkers: [PoolName: Set<WorkerID>] = [:]
  /// The deadlines. May contain obsolete ones, and instants that have been postponed.
  var deadlines = PriorityQueue<Deadline>()
  /// The instant of the event that is handled.
  var instant = Instant(.zero)

  /// Creates a scheduler without jobs and workers.
  public init(settings: SchedulerSettings) {
    self.settings = settings
  }

  /// Handles an event, and returns the actions to perform.
  ///
  /// - Parameter now: the current instant; never earlier than in the previous call.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    instant = now
    if case .stalled(let length) = event { allow(for: length, at: now) }
    var actions: [Action] = []
    // The shell has stored the chunk, so the lease must not expire before this event is handled.
    if case .chunkAccepted(let token) = event { actions = complete(token, at: now) }
    actions += expire(at: now)
    switch event {
    case .jobAdded(let entry): actions += add(entry, at: now)
    case .contentsKnown(let job, let contents): actions += learn(contents, of: job, at: now)
    case .jobRemoved(let job): actions += remove(job, at: now)
    case .jobPrioritized(let job, let priority): prioritize(job, priority)
    case .workerRegistered(let entry): actions += register(entry, at: now)
    case .workerDrained(let worker):
      change(worker) { $0.isDraining = true }
      actions += reviewAudits()
    case .workerDistrusted(let worker, let reason): actions += distrust(worker, reason, at: now)
    case .workerResumed(let worker): actions += resume(worker)
    case .leaseWanted(let request): actions += want(request, at: now)
    case .leaseUnwanted(let request): forget(request)
    case .heartbeat(let token, let frames, let assetBytes, let waitsForAssets):
      noteAssets(of: token, byteCount: assetBytes, isWaiting: waitsForAssets, at: now)
      actions += heartbeat(token, frames: frames, at: now)
    case .chunkArriving(let token): noteProgress(token, at: now)
    case .chunkDamaged(let token, let report): actions += damage(token, report, at: now)
    case .chunkHeld(let token, let sha256): actions += hold(token, sha256, at: now)
    case .heldChunkForgotten(let segment, let worker):
      actions += dropHeld(of: segment) { $0.worker == worker }
    case .auditSettled(let segment, let verdict):
      actions += endAudit(of: segment, verdict, at: now)
    case .chunkRefused(let segment, let report): actions += refuse(segment, report, at: now)
    case .chunkForgotten(let segment): actions += forgetChunk(segment)
    case .attemptFailed(let token, let report): actions += fail(token, report, at: now)
    case .leaseGivenBack(let token): actions += giveBack(token, at: now)
    case .segmentSuspected(let segment):
      change(segment.job) { job in
        if job.segments.indices.contains(segment.index) { job.suspect(segment.index) }
      }
    case .chunkAccepted, .stalled, .timePassed: break
    }
    actions += matchWaiting(at: now)
    return actions + copySlow(at: now)
  }

  /// The instant of the next deadline, at which ``Event/timePassed`` is due; `nil` if there is none.
  public var nextDeadline: Instant? { deadlines.first?.instant }

  /// Changes a job in place.
  @discardableResult
  mutating func change<Result>(_ job: JobID, _ body: (inout JobRecord) -> Result) -> Result? {
    guard let index = jobs.index(forKey: job) else { return nil }
    return body(&jobs.values[index])
  }

  /// Changes a worker in place, and updates the count of available workers.
  mutating func change(_ worker: WorkerID, _ body: (inout WorkerRecord) -> Void) {
    guard let index = workers.index(forKey: worker) else { return }
    let before = workers.values[index].isAvailable
    body(&workers.values[index])
    let after = workers.values[index].isAvailable
    guard before != after else { return }
    if after {
      countAvailable(workers.values[index])
    } else {
      countUnavailable(workers.values[index])
    }
  }
}
