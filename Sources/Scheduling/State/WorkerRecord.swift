import FarmAPI

/// A known worker.
struct WorkerRecord: Sendable {
  let entry: WorkerEntry
  var isDraining: Bool
  var lastSeen: Instant
  var isLost = false
  /// The instant at which to check whether it is lost; its other deadlines are obsolete.
  var nextCheck: Instant
  var leases: Set<LeaseToken> = []
  /// The memory that its leases need, in bytes.
  var memoryInUse = 0
  /// The segments that it is kept free for.
  var reservation: MemoryNeed?
  /// Whether it must take a lease in the order of the jobs before it is kept free again.
  var owesTurn = false
  var requests: Set<RequestID> = []
  /// The distinct segments that it failed since it last completed one.
  var failedInARow: Set<SegmentID> = []
  /// The segments whose chunks were accepted from it and later found bad, since it was last set aside. A later delivery
  /// does not reset this list.
  var refused: Set<SegmentID> = []
  var asideUntil: Instant?
  /// The reason why it is distrusted; `nil` for a trusted worker.
  var distrust: String?
  var timesAside = 0
  var completed = 0
  var failed = 0

  init(_ entry: WorkerEntry, now: Instant) {
    self.entry = entry
    isDraining = entry.isDraining
    distrust = entry.distrust
    lastSeen = now
    nextCheck = now
  }

  /// Its state as the farm reports it.
  var state: WorkerStatus.State {
    if isLost { return .lost }
    if distrust != nil { return .distrusted }
    if isDraining { return .draining }
    return asideUntil != nil ? .setAside : .active
  }

  /// Whether it may be granted a lease.
  var takesLeases: Bool { !isDraining && asideUntil == nil && distrust == nil }

  /// Whether it is expected to take a lease soon.
  var isAvailable: Bool { takesLeases && !isLost }

  /// Whether it belongs to a pool; every worker belongs to the farm.
  func belongs(to pool: PoolName?) -> Bool { pool.map(entry.pools.contains) ?? true }

  /// Its pools, and the farm as `nil`.
  var allPools: [PoolName?] { [nil] + entry.pools.map(Optional.some) }

  /// The queue of its requests.
  var line: WaitingLine {
    WaitingLine(fingerprint: entry.fingerprint, pools: entry.pools)
  }

  /// The memory that all its leases may need together, in bytes.
  var memory: Int { entry.memory ?? .max }

  /// The memory that is not in use, in bytes. Leases from before a restart may exceed the worker's memory.
  var freeMemory: Int { entry.memory.map { max($0 - memoryInUse, 0) } ?? .max }

  /// The number of distinct segments that count against it.
  var faults: Int { failedInARow.union(refused).count }
}

/// An event that falls due at an instant.
struct Deadline: Comparable, Sendable {
  enum Subject: Hashable, Sendable {
    case lease(LeaseToken)
    case progress(LeaseToken)
    case pace(LeaseToken)
    case revoked(LeaseToken)
    case request(RequestID)
    case worker(WorkerID)
    case aside(WorkerID)
    case job(JobID)
    case memory(MemoryNeed)
    case rest(SegmentID)
    case sharing
  }

  let instant: Instant
  let subject: Subject

  static func < (a: Deadline, b: Deadline) -> Bool { a.instant < b.instant }
  static func == (a: Deadline, b: Deadline) -> Bool { a.instant == b.instant }
}
