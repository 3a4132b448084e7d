import Crypto
import FarmAPI
import Planning
import Scheduling

/// A simple, slow model of the farm, as an observer of events and actions sees it, with the ledger's view.
struct NaiveFarm {
  struct Segment {
    let frames: Range<Int>
    let cost: Int64
    let memory: Int
    var content: SegmentContent?
    var leases: [Grant] = []
    var held: [HeldChunk] = []
    var deliverer: WorkerID?
    var isCompleted = false
    var attempts = 0
    var failures: [FailedAttempt] = []
    var expiries = 0
    /// Whether a worker did not get its assets.
    var wasHeldUp = false
  }

  struct Job {
    let order: Int
    let priority: Int
    let submitter: String?
    var fingerprint: String?
    var segments: [Segment]
    var isRendered = false

    /// The content of each segment, if all are known.
    var contents: [SegmentContent]? {
      let known = segments.compactMap(\.content)
      return known.count == segments.count ? known : nil
    }

    var pending: [Int] {
      segments.indices.filter { !segments[$0].isCompleted && segments[$0].leases.isEmpty }
    }
  }

  struct Lease {
    let grant: Grant
    let memory: Int
    let since: Instant
    var heard: Instant
    var progressed: Instant
    var frames = 0
    var damaged = 0
    /// The time of its last new frame, or of the last bytes of its chunk.
    var advanced: Instant
    var assetBytes: Int64 = 0
    var assetsArrived: Instant?
    var waitsForAssets = false

    /// Whether it lacks only its assets.
    var isHeldUp: Bool { waitsForAssets || assetsArrived.map { $0 > progressed } ?? false }
  }

  enum End: Hashable {
    case completed, failed, cancelled
  }

  let settings: SchedulerSettings
  var jobs: [JobID: Job] = [:]
  var ended: [JobID: End] = [:]
  var workers: [WorkerID: WorkerEntry] = [:]
  var leases: [LeaseToken: Lease] = [:]
  var waiting: [RequestID: WorkerID] = [:]
  /// Leases whose chunk the shell has verified and stored.
  var accepted: Set<LeaseToken> = []
  /// The bytes of chunks that are delivered for comparison.
  var delivered: [LeaseToken: Digest] = [:]
  /// The jobs that workers are kept free for. May contain reservations that have ended.
  var reserved: [WorkerID: JobID] = [:]
  /// Verdicts that the shell has not recorded yet.
  var verdicts: [(segment: SegmentID, verdict: AuditVerdict)] = []
  /// The broken rules that were found.
  var problems: [String] = []
  /// The job whose fingerprint the previous action fixed.
  private var justBound: JobID?
  var copies = 0
  /// The number of segments that got the chunk of another one.
  var shared = 0
  /// The number of events of each kind, which shows what was explored.
  var tally: [String: Int] = [:]

  init(_ settings: SchedulerSettings) { self.settings = settings }

  mutating func require(_ holds: Bool, _ problem: @autoclosure () -> String) {
    if !holds { problems.append(problem()) }
  }

  /// Applies the scheduler's actions.
  mutating func apply(_ actions: [Action], at now: Instant) {
    for action in actions { apply(action, at: now) }
  }

  private mutating func apply(_ action: Action, at now: Instant) {
    switch action {
    case .grant(let request, let grant):
      require(waiting.removeValue(forKey: request) == grant.worker, "granted without a request")
      check(grant, at: now)
      justBound = nil
      leases[grant.token] = Lease(
        grant: grant, memory: memory(of: grant.segment), since: now, heard: now, progressed: now,
        advanced: now)
      jobs[grant.segment.job]?.segments[grant.segment.index].leases.append(grant)
      jobs[grant.segment.job]?.segments[grant.segment.index].attempts += 1
      if grant.isCopy { copies += 1 }
    case .refuse(let request, _):
      require(waiting.removeValue(forKey: request) != nil, "refused without a request")
    case .endAttempt(let grant, let outcome): end(grant, outcome, at: now)
    case .finishRendering(let job):
      require(
        jobs[job]?.segments.allSatisfy(\.isCompleted) == true, "finished without every chunk")
      jobs[job]?.isRendered = true
    case .failJob(let segment, _):
      let job = jobs.removeValue(forKey: segment.job)
      require(job?.segments.allSatisfy(\.leases.isEmpty) == true, "a failed job keeps a lease")
      require(ended.updateValue(.failed, forKey: segment.job) == nil, "a job ends twice")
    case .fixFingerprint(let job, let fingerprint):
      let known = jobs[job]
      require(
        known?.segments.contains { $0.isCompleted || !$0.leases.isEmpty || !$0.held.isEmpty }
          == false,
        "the fingerprint of a job changes under its chunks")
      jobs[job]?.fingerprint = fingerprint
      justBound = job
    case .shareChunk(let source, let segment): share(source, with: segment)
    case .dropChunk(let segment, let attempt):
      require(
        jobs[segment.job]?.segments[segment.index].isCompleted == true, "a chunk is dropped twice")
      jobs[segment.job]?.isRendered = false
      jobs[segment.job]?.segments[segment.index].isCompleted = false
      jobs[segment.job]?.segments[segment.index].deliverer = nil
      if let attempt {
        jobs[segment.job]?.segments[segment.index].failures.append(attempt)
      } else {
        jobs[segment.job]?.segments[segment.index].expiries += 1
      }
    case .forgetChunk(let segment):
      require(
        jobs[segment.job]?.segments[segment.index].isCompleted == true, "a chunk is dropped twice")
      tally["forgetChunk", default: 0] += 1
      jobs[segment.job]?.isRendered = false
      jobs[segment.job]?.segments[segment.index].isCompleted = false
      jobs[segment.job]?.segments[segment.index].deliverer = nil
    case .restartJob(let job):
      tally["restartJob", default: 0] += 1
      restart(job)
    case .noteWaiting(let job):
      let known = jobs[job]
      require(known?.pending.isEmpty == false, "a job without pending segments lacks workers")
    case .noteTooLarge(let job):
      require(jobs[job]?.pending.isEmpty == false, "a job without pending segments is too large")
    case .reserve(let worker, let job):
      tally["reserve", default: 0] += 1
      let most = workers[worker]?.memory ?? .max
      require(
        jobs[job]?.pending.contains { jobs[job]?.segments[$0].memory ?? 0 <= most } == true,
        "a worker is kept free for nothing")
      reserved[worker] = job
    case .forgetWorker(let worker):
      require(
        !leases.values.contains { $0.grant.worker == worker }, "a worker is forgotten with leases")
      workers[worker] = nil
    case .answerHeartbeat(let token, let stop):
      require((leases[token] != nil) == !stop, "a heartbeat is answered wrongly")
    case .rejectStale(let token):
      require(leases[token] == nil, "a lease in force is called stale")
    case .settleAudit(let segment, let verdict):
      check(verdict, on: segment)
      verdicts.append((segment, verdict))
    case .distrust(let worker):
      require(workers[worker]?.distrust != nil, "a worker is distrusted for no reason")
    case .setAside: tally["setAside", default: 0] += 1
    case .forgive, .loseWorker: break
    }
  }

  private mutating func share(_ source: SegmentID, with segment: SegmentID) {
    let from = jobs[source.job]?.segments[source.index]
    let to = jobs[segment.job]?.segments[segment.index]
    require(from?.isCompleted == true, "a missing chunk is shared")
    require(
      to?.isCompleted == false && to?.leases.isEmpty == true && to?.held.isEmpty == true,
      "a chunk for a busy segment")
    require(from?.content != nil && from?.content == to?.content, "the chunk of another content")
    require(
      jobs[source.job]?.fingerprint == jobs[segment.job]?.fingerprint,
      "the chunk of another fingerprint")
    jobs[segment.job]?.segments[segment.index].isCompleted = true
    jobs[segment.job]?.segments[segment.index].deliverer = nil
    shared += 1
  }

  /// Whether an identical segment is leased or under audit, in a job that workers of the fingerprint may serve.
  private func isRenderedElsewhere(_ segment: Segment, _ fingerprint: String?) -> Bool {
    guard let content = segment.content else { return false }
    return jobs.values.contains { job in
      (fingerprint == nil || job.fingerprint == fingerprint)
        && job.segments.contains {
          $0.content == content && !($0.leases.isEmpty && $0.held.isEmpty)
        }
    }
  }

  private mutating func restart(_ id: JobID) {
    guard let job = jobs[id] else { return require(false, "an ended job restarts") }
    require(job.segments.allSatisfy(\.leases.isEmpty), "a job with leases restarts")
    require(
      !workers.values.isEmpty && job.fingerprint != nil, "a job restarts that is not bound")
    jobs[id]?.fingerprint = nil
    for index in job.segments.indices {
      jobs[id]?.segments[index].isCompleted = false
      jobs[id]?.segments[index].held = []
      jobs[id]?.segments[index].deliverer = nil
      jobs[id]?.segments[index].failures = []
      jobs[id]?.segments[index].expiries = 0
    }
  }

  private mutating func end(_ grant: Grant, _ outcome: AttemptOutcome, at now: Instant) {
    guard let lease = leases.removeValue(forKey: grant.token), lease.grant == grant else {
      return require(false, "a lease ends that is not in force")
    }
    let (id, index) = (grant.segment.job, grant.segment.index)
    jobs[id]?.segments[index].leases.removeAll { $0 == grant }
    tally[outcome.name, default: 0] += 1
    switch outcome {
    case .completed:
      require(accepted.contains(grant.token), "completed without an accepted chunk")
      require(jobs[id]?.segments[index].isCompleted == false, "two chunks of a segment accepted")
      jobs[id]?.segments[index].isCompleted = true
      jobs[id]?.segments[index].deliverer = grant.worker
    case .held:
      require(jobs[id]?.segments[index].isCompleted == false, "a completed segment is audited")
      guard let chunk = delivered[grant.token], let worker = workers[grant.worker] else {
        return require(false, "a chunk is held that was never delivered")
      }
      jobs[id]?.segments[index].held.append(
        HeldChunk(worker: worker.id, identity: worker.identity, sha256: chunk))
    case .distrusted:
      require(workers[grant.worker]?.distrust != nil, "a trusted worker loses a lease")
    case .failed(let report), .stuck(let report):
      if case .stuck = outcome {
        require(now - lease.progressed >= settings.stuckAfter, "stuck too soon")
        require(!lease.isHeldUp, "blamed for assets that did not arrive")
      }
      jobs[id]?.segments[index].failures.append(
        FailedAttempt(worker: grant.worker, workerName: "", report: report))
    case .expired:
      require(now - lease.heard >= settings.leaseDuration, "expired too soon")
      jobs[id]?.segments[index].expiries += 1
    case .heldUp:
      require(now - lease.progressed >= settings.stuckAfter, "held up too soon")
      require(lease.isHeldUp, "held up without cause")
      jobs[id]?.segments[index].wasHeldUp = true
    case .superseded:
      require(jobs[id]?.segments[index].isCompleted == true, "superseded without a chunk")
    case .givenBack, .revoked: break
    }
  }

  /// Checks whether a verdict follows from the held chunks.
  private mutating func check(_ verdict: AuditVerdict, on segment: SegmentID) {
    let held = jobs[segment.job]?.segments[segment.index].held ?? []
    require(Set(held.map(\.identity)).count == held.count, "a worker audits itself")
    switch verdict {
    case .confirmed(let chunk, let distrusted):
      tally["confirmed", default: 0] += 1
      require(held.count { $0.sha256 == chunk } > 1, "a chunk is confirmed without a second one")
      require(
        distrusted == held.filter { $0.sha256 != chunk }.map(\.identity),
        "the distrusted workers are not those that differ")
    case .undecided(let distrusted):
      tally["undecided", default: 0] += 1
      require(Set(held.map(\.sha256)).count == held.count && held.count > 1, "equal chunks differ")
      require(distrusted == held.map(\.identity), "not all differing workers are distrusted")
    case .uncompared(let chunk):
      tally["uncompared", default: 0] += 1
      require(held.map(\.sha256) == [chunk], "a chunk is accepted uncompared beside others")
    }
  }

  /// Checks whether a grant is the one that is due.
  private mutating func check(_ grant: Grant, at now: Instant) {
    guard let job = jobs[grant.segment.job], let worker = workers[grant.worker] else {
      return require(false, "a segment of an ended job, or to an unknown worker")
    }
    let segment = job.segments[grant.segment.index]
    require(job.fingerprint == worker.fingerprint, "two fingerprints serve one job")
    require(!segment.isCompleted, "a completed segment is leased")
    require(worker.distrust == nil, "a distrusted worker gets a lease")
    require(
      !segment.held.contains { $0.worker == worker.id }, "a worker gets a segment that it delivered"
    )
    require(leases[grant.token] == nil, "a token is given twice")
    let room = freeMemory(of: worker)
    require(segment.memory <= room, "a worker's leases need more memory than it has")
    let isReserved = reserved[worker.id] == grant.segment.job
    if isReserved { reserved[worker.id] = nil }
    guard !grant.isCopy else {
      require(segment.leases.count == 1, "a copy of no lease, or of two")
      require(segment.leases.first?.worker != grant.worker, "a copy for the same worker")
      require(
        job.pending.allSatisfy {
          isRenderedElsewhere(job.segments[$0], job.fingerprint) || !job.segments[$0].held.isEmpty
        },
        "a copy while segments are pending")
      require(settings.allowsCopies, "a copy although copies are off")
      let since = segment.leases.first.flatMap { leases[$0.token]?.since } ?? now
      require(now - since >= settings.copyAfter, "a copy too soon")
      return
    }
    require(segment.leases.isEmpty, "a segment is leased twice")
    require(
      !segment.held.isEmpty || !isRenderedElsewhere(segment, worker.fingerprint),
      "a content is rendered twice at once")
    let mine = place(of: job)
    for other in jobs.values
    where (other.fingerprint == nil || other.fingerprint == worker.fingerprint)
      && (!isReserved || other.priority > job.priority) && !mayStrand(other, worker)
    {
      for index in other.pending
      where other.segments[index].memory <= room && other.segments[index].failures.isEmpty
        && !other.segments[index].wasHeldUp
        && other.segments[index].held.isEmpty
        // Segments that waited for a worker of another fingerprint are queued again once the job has its own
        // fingerprint.
        && !isRenderedElsewhere(
          other.segments[index],
          justBound == grant.segment.job && other.order == job.order ? nil : other.fingerprint)
      {
        if other.order == job.order {
          require(other.segments[index].cost <= segment.cost, "a longer segment is passed over")
        } else {
          require(place(of: other) > mine, "a job is passed over")
        }
      }
    }
  }

  /// The memory that a worker's leases leave free.
  func freeMemory(of worker: WorkerEntry) -> Int {
    guard let memory = worker.memory else { return .max }
    return memory
      - leases.values.filter { $0.grant.worker == worker.id }.reduce(0) { $0 + $1.memory }
  }

  private func memory(of segment: SegmentID) -> Int {
    jobs[segment.job]?.segments[segment.index].memory ?? 0
  }

  /// Finds workers that wait, although there is a segment that they may render and that fits in their memory.
  mutating func findIdleWorkers(_ scheduler: Scheduler, at now: Instant) {
    for id in Set(waiting.values) {
      guard let worker = workers[id], !scheduler.isReserved(id),
        scheduler.status(of: id, at: now)?.state == .active
      else { continue }
      let room = freeMemory(of: worker)
      for job in jobs.values
      where (job.fingerprint == nil || job.fingerprint == worker.fingerprint)
        && !mayStrand(job, worker)
      {
        let fits = job.pending.contains { index in
          let segment = job.segments[index]
          return segment.memory <= room && segment.failures.isEmpty && !segment.wasHeldUp
            && segment.held.isEmpty && !isRenderedElsewhere(segment, nil)
        }
        require(!fits, "a worker waits although a segment fits")
      }
    }
  }

  /// Whether a job may wait for the workers of other libraries, because it is bound to none and has a segment that is too
  /// large for this worker.
  private func mayStrand(_ job: Job, _ worker: WorkerEntry) -> Bool {
    job.fingerprint == nil
      && job.pending.contains { job.segments[$0].memory > worker.memory ?? .max }
  }

  private func place(of job: Job) -> (Int, Int, Int) {
    (-job.priority, leaseCount(of: job.submitter), job.order)
  }

  func leaseCount(of submitter: String?) -> Int {
    leases.values.count { jobs[$0.grant.segment.job]?.submitter == submitter }
  }

  /// The job in the form in which it is added to a scheduler after a restart.
  ///
  /// - Parameter saysContents: whether the entry includes the contents of its segments.
  func entry(of id: JobID, saysContents: Bool) -> JobEntry? {
    guard let job = jobs[id] else { return nil }
    let segments = job.segments.map { segment in
      var state = SegmentEntry.State.pending
      if segment.isCompleted {
        state = .completed(segment.deliverer)
      } else if !segment.leases.isEmpty {
        state = .leased(
          segment.leases.map { .init(token: $0.token, worker: $0.worker, attempt: $0.attempt) })
      }
      return SegmentEntry(
        frames: segment.frames, cost: segment.cost, memory: segment.memory, state: state,
        attempts: segment.attempts, failures: segment.failures, expiries: segment.expiries,
        held: segment.held)
    }
    return JobEntry(
      id: id, order: job.order, priority: job.priority, submitter: job.submitter,
      fingerprint: job.fingerprint, segments: segments,
      contents: saysContents ? job.contents : nil)
  }
}

extension AttemptOutcome {
  fileprivate var name: String {
    switch self {
    case .completed: "completed"
    case .held: "held"
    case .failed: "failed"
    case .expired: "expired"
    case .stuck: "stuck"
    case .heldUp: "heldUp"
    case .superseded: "superseded"
    case .givenBack: "givenBack"
    case .revoked: "revoked"
    case .distrusted: "distrusted"
    }
  }
}
