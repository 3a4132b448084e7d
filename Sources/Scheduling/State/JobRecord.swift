import FarmAPI

/// A job that is being rendered.
struct JobRecord: Sendable {
  let key: JobKey
  var fingerprint: String?
  var segments: [SegmentRecord]
  /// Exactly the segments in state `pending`.
  var pending: PriorityQueue<PendingKey>
  var counts = SegmentCounts()
  /// Frames of accepted chunks.
  var framesCompleted = 0
  /// Frames that running attempts have reported; the further of two at one segment counts.
  var framesInProgress = 0
  /// How long its segments have taken.
  var pace = Pace()
  /// Since when it has had pending segments and nobody to render them.
  var starvingSince: Instant?
}

/// A job's place among the others.
struct JobKey: Hashable, Sendable {
  let share: Share
  let order: Int
  let id: JobID
}

/// Jobs that are served alike: of one priority, from one submitter.
struct Share: Hashable, Sendable {
  let priority: Int
  let submitter: String?
}

/// A pending segment's place in its job: longest expected first, then in order of time.
struct PendingKey: Hashable, Comparable, Sendable {
  let cost: Int64
  let index: Int

  static func < (a: PendingKey, b: PendingKey) -> Bool {
    (b.cost, a.index) < (a.cost, b.index)
  }
}

/// A segment of a job that is being rendered.
struct SegmentRecord: Sendable {
  enum State: Hashable, Sendable {
    case pending
    case leased
    case completed
  }

  let frames: Range<Int>
  let cost: Int64
  var state: State
  /// The leases in force, the earlier first; a second one is a speculative copy.
  var leases: [LeaseToken] = []
  var attempts: Int
  var failures: [FailedAttempt]
  var expiries: Int
  /// Whose chunk was accepted.
  var deliverer: WorkerID?
  /// The frames that the further of its attempts has reported.
  var framesInProgress = 0

  init(_ entry: SegmentEntry) {
    frames = entry.frames
    cost = entry.cost
    state =
      switch entry.state {
      case .pending: .pending
      case .leased: .leased
      case .completed: .completed
      }
    attempts = entry.attempts
    failures = entry.failures
    expiries = entry.expiries
    if case .completed(let worker) = entry.state { deliverer = worker }
  }

  func pendingKey(_ index: Int) -> PendingKey {
    PendingKey(cost: cost, index: index)
  }

  /// Whether the worker has failed it.
  func wasFailed(by worker: WorkerID) -> Bool { failures.contains { $0.worker == worker } }
}

/// A lease in force.
struct LeaseRecord: Sendable {
  let grant: Grant
  let since: Instant
  var expiry: Instant
  var framesRendered = 0
  /// How often its chunk came with other bytes than those of its digest.
  var damagedUploads = 0
  /// When it was last seen to come on.
  var progressed: Instant

  init(_ grant: Grant, since: Instant, expiry: Instant) {
    self.grant = grant
    self.since = since
    self.expiry = expiry
    progressed = since
  }
}
