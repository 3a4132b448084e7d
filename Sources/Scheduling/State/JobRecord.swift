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
  /// Frames that running attempts have reported.
  var framesInProgress = 0
}

/// A job's place among the others.
struct JobKey: Hashable, Comparable, Sendable {
  let order: Int
  let id: JobID

  static func < (a: JobKey, b: JobKey) -> Bool { a.order < b.order }
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
    case leased(LeaseToken)
    case completed
  }

  let frames: Range<Int>
  let cost: Int64
  var state: State
  var attempts: Int
  var failures: [FailedAttempt]
  var expiries: Int

  func pendingKey(_ index: Int) -> PendingKey {
    PendingKey(cost: cost, index: index)
  }
}

/// A lease in force.
struct LeaseRecord: Sendable {
  let grant: Grant
  var expiry: Instant
  var framesRendered = 0
}
