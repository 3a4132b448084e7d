import Crypto
import FarmAPI
import Glibc
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
    /// Whether it is to be rendered before the others of its job.
    var isSuspected = false
    /// The time that its last delivery took, if the scheduler has seen one.
    var took: Duration?
  }

  struct Job {
    let order: Int
    var priority: Int
    let submitter: String?
    var fingerprint: String?
    var pool: PoolName?
    var segments: [Segment]
    /// The first segment that was not completed when the scheduler got the job.
    var firstMissing = 0
    var isRendered = false
    /// The cost of all deliveries that the scheduler has seen, and the seconds that they took.
    var delivered = (cost: 0.0, seconds: 0.0)

    /// The position of a segment among the pending ones; the smallest comes first.
    func place(of index: Int) -> (Int, Int, Double) {
      let rank = segments[index].isSuspected ? 0 : 1
      return index <= firstMissing ? (rank, 0, Double(index)) : (rank, 1, -expectedWork(of: index))
    }

    /// The cost of a segment, or a rounded logarithm of the seconds that it will take: at the geometric mean of the pace
    /// of all deliveries and that of the nearest segment of its memory.
    private func expectedWork(of index: Int) -> Double {
      let cost = Double(segments[index].cost)
      guard delivered.seconds > 0 else { return cost }
      let near = segments.indices.filter {
        segments[$0].took != nil && segments[$0].memory == segments[index].memory
      }.min { (abs($0 - index), $0) < (abs($1 - index), $1) }
      let mean = delivered.seconds / delivered.cost
      var pace = mean
      if let near, let took = segments[near].took {
        pace = took / .seconds(1) / Double(segments[near].cost)
      }
      return (log2((pace * mean).squareRoot() * cost) * 2).rounded()
    }

    /// Records a delivery.
    mutating func noteDelivery(of index: Int, took: Duration) {
      if took > .zero { segments[index].took = took }
      delivered.cost += Double(segments[index].cost)
      delivered.seconds += took / .seconds(1)
    }

    /// Forgets how long deliveries took.
    mutating func forgetDeliveries() {
      delivered = (0, 0)
      for index in segments.indices { segments[index].took = nil }
    }

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
    /// Whether it began before the scheduler did.
    var isResumed = false

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
  private(set) var justBound: JobID?
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
  func isRenderedElsewhere(_ segment: Segment, _ fingerprint: String?) -> Bool {
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
    jobs[id]?.firstMissing = 0
    jobs[id]?.forgetDeliveries()
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
    if [.completed, .held].contains(outcome), !lease.isResumed {
      jobs[id]?.noteDelivery(of: index, took: now - lease.since)
    }
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

  private func memory(of segment: SegmentID) -> Int {
    jobs[segment.job]?.segments[segment.index].memory ?? 0
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
      fingerprint: job.fingerprint, pool: job.pool, segments: segments,
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
