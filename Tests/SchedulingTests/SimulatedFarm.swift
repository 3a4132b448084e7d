import FarmAPI
import Planning
import Scheduling
import Support
import Testing

/// A scheduler with a manual clock, and a record of its requests.
struct SimulatedFarm {
  var scheduler: Scheduler
  var now = Instant(.zero)
  private var requestCount: UInt64 = 0

  init(_ settings: SchedulerSettings) {
    scheduler = Scheduler(settings: settings)
  }

  init() throws {
    self.init(try SchedulerSettings())
  }

  @discardableResult
  mutating func handle(_ event: Event) -> [Action] {
    scheduler.handle(event, at: now)
  }

  @discardableResult
  mutating func wait(_ duration: Duration) -> [Action] {
    now = now + duration
    return handle(.timePassed)
  }

  mutating func addJob(
    _ id: String = "job", order: Int = 1, priority: Int = 0, submitter: String? = nil,
    frames: [Int], memory: [Int] = [], fingerprint: String? = nil, pool: String? = nil,
    isInOrder: Bool = false
  ) {
    var first = 0
    let segments = frames.enumerated().map { index, count in
      defer { first += count }
      return SegmentEntry(
        frames: first..<(first + count), memory: memory.indices.contains(index) ? memory[index] : 0)
    }
    handle(
      .jobAdded(
        JobEntry(
          id: JobID(rawValue: id), order: order, priority: priority, submitter: submitter,
          fingerprint: fingerprint, pool: pool.flatMap(PoolName.init), isInOrder: isInOrder,
          segments: segments)))
  }

  /// Adds a job whose segments have the numbered contents and frame counts.
  mutating func addJob(
    _ id: String, order: Int, contents: [Int], audience: ReuseAudience = .anyone
  ) throws {
    var first = 0
    let segments = contents.map { count in
      defer { first += count }
      return SegmentEntry(frames: first..<(first + count))
    }
    handle(
      .jobAdded(
        JobEntry(
          id: JobID(rawValue: id), order: order, segments: segments,
          contents: try contents.map(SegmentContent.numbered), audience: audience)))
  }

  @discardableResult
  mutating func addWorker(
    _ id: String, fingerprint: String = "x264", memory: Int? = nil, token: String? = nil,
    pools: String..., priority: Int = 0
  ) -> [Action] {
    handle(
      .workerRegistered(
        WorkerEntry(
          id: WorkerID(rawValue: id), name: "host-\(id)", slots: 1, fingerprint: fingerprint,
          memory: memory, token: token, pools: Set(pools.compactMap(PoolName.init)),
          priority: priority)))
  }

  /// Asks for a lease and returns every action that follows.
  mutating func want(_ worker: String, wait: Duration = .seconds(30)) -> [Action] {
    requestCount += 1
    return handle(
      .leaseWanted(
        LeaseRequest(
          id: RequestID(rawValue: requestCount), worker: WorkerID(rawValue: worker),
          token: LeaseToken(rawValue: "token-\(requestCount)"), deadline: now + wait)))
  }

  /// Renders a lease's segment in the given time, with a heartbeat every second.
  mutating func work(_ grant: Grant, for duration: Duration, frames: Int? = nil) {
    let total = frames ?? scheduler.frames(of: grant.segment)?.count ?? 0
    let seconds = Int(duration.components.seconds)
    for second in stride(from: 1, through: seconds, by: 1) {
      now = now + .seconds(1)
      handle(.heartbeat(grant.token, framesRendered: total * second / seconds))
    }
  }

  /// Asks for a lease that must be granted at once.
  mutating func lease(_ worker: String) throws -> Grant {
    try #require(want(worker, wait: .zero).grants.first)
  }
}

extension [Action] {
  var grants: [Grant] {
    compactMap { if case .grant(_, let grant) = $0 { grant } else { nil } }
  }

  var jobFailures: [JobFailure] {
    compactMap { if case .failJob(_, let failure) = $0 { failure } else { nil } }
  }

  var ended: [AttemptOutcome] {
    compactMap { if case .endAttempt(_, let outcome) = $0 { outcome } else { nil } }
  }
}

let job = JobID(rawValue: "job")
let decodeFailed = FailureReport(
  code: "decode-failed", message: "a.mp4: broken", isPermanent: false)
