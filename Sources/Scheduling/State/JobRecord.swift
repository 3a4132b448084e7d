import FarmAPI
import Glibc
import Planning

/// A job that is being rendered.
struct JobRecord: Sendable {
  var key: JobKey
  /// The submitters whose jobs share its chunks.
  let audience: ReuseAudience
  /// Whether its segments are leased in the plan's order.
  let isInOrder: Bool
  /// The first segment that was not completed when the job was added or began again. The file waits for it, and for those
  /// before it whose chunks are lost.
  private(set) var firstMissing: Int
  var fingerprint: String?
  var segments: [SegmentRecord]
  /// The pending segments that a worker may take. The other pending ones wait for an identical segment.
  var pending = PendingSegments()
  var counts = SegmentCounts() {
    didSet { revision += 1 }
  }
  /// The number of changes to ``counts``, and therefore to the states of segments.
  private(set) var revision = 0
  /// The number of segments under audit.
  var segmentsUnderAudit = 0
  /// The number of frames in accepted chunks.
  var framesCompleted = 0
  /// The number of frames that running attempts have reported; of two attempts at one segment, the more advanced one
  /// counts.
  var framesInProgress = 0
  /// The room for the failed attempts at its segments.
  var failureRoom = FailureRoom()
  /// The pace of its segments so far.
  private(set) var pace = Pace()
  /// Whether its segments are queued by the time that they are expected to take, and not by their costs.
  private(set) var isPaced = false
  /// The instant since which it has had pending segments but no workers to render them; `nil` if it has workers.
  var starvingSince: Instant?
  /// Whether a segment of it has ever been leased.
  var hasBegun = false
  /// Whether it was reported that one of its segments is too large for every worker.
  var isKnownTooLarge = false
}

extension JobRecord {
  /// The pool whose workers serve it; `nil` for all workers.
  var pool: PoolName? { key.share.pool }

  /// Whether no chunk binds the job to a fingerprint.
  var hasNoChunk: Bool { counts.completed == 0 && segmentsUnderAudit == 0 }

  /// The number of segments that a worker may take.
  var available: Int { pending.count }

  private func pendingKey(_ index: Int) -> PendingKey {
    PendingKey(
      isSuspected: segments[index].isSuspected, isAwaited: index <= firstMissing,
      work: isInOrder || index <= firstMissing ? 0 : expectedWork(index), index: index)
  }

  /// The expected work for a segment: its cost, or the logarithm of the seconds that it will take.
  ///
  /// The pace is the geometric mean of a neighbor's and the job's, because what one segment took may be an exception. The
  /// logarithm is rounded, so that segments that take about as long stay in order of time, and the file grows from its
  /// start.
  private func expectedWork(_ index: Int) -> Double {
    let cost = Double(segments[index].cost)
    guard isPaced, let mean = pace.secondsPerCost else { return cost }
    return (log2(((paceNear(index) ?? mean) * mean).squareRoot() * cost) * 2).rounded()
  }

  /// The number of segments on each side of a segment among which ``paceNear(_:)`` looks.
  private static let reach = 64

  /// The seconds for each unit of cost that the segment's last delivery took, or that of the nearest one with the same
  /// memory size. Segments that are near probably show similar pictures; those of other sizes are made in another way.
  private func paceNear(_ index: Int) -> Double? {
    for distance in 0...Self.reach {
      for neighbor in [index - distance, index + distance] where segments.indices ~= neighbor {
        if segments[neighbor].memory == segments[index].memory,
          let pace = segments[neighbor].secondsPerCost
        {
          return pace
        }
      }
    }
    return nil
  }

  /// The number of queued segments up to which a delivery orders them again. The order decides how long workers are idle
  /// at the end of the job, so that of earlier segments matters less.
  private static let pacedSegments = 256

  /// Records how long the delivery of a segment took, and orders the queued ones by the time that they will take.
  mutating func noteDelivery(of index: Int, took duration: Duration) {
    let cost = segments[index].cost
    pace.note(cost: cost, took: duration)
    if duration > .zero {
      segments[index].secondsPerCost = duration / .seconds(1) / Double(max(cost, 1))
    }
    guard !isInOrder, available <= Self.pacedSegments, pace.secondsPerCost ?? 0 > 0 else { return }
    isPaced = true
    var ordered = pending
    ordered.order { segments[$0].isQueued ? pendingKey($0) : nil }
    pending = ordered
  }

  /// Forgets how long segments took.
  mutating func forgetDeliveries() {
    pace = Pace()
    isPaced = false
    for index in segments.indices { segments[index].secondsPerCost = nil }
  }

  /// Queues a pending segment for workers.
  mutating func enqueue(_ index: Int) {
    guard !segments[index].isQueued else { return }
    segments[index].isQueued = true
    pending.insert(pendingKey(index), memory: segments[index].memory)
  }

  /// Removes and returns the first queued segment whose memory size is in a range.
  mutating func dequeue(within sizes: ClosedRange<Int>) -> PendingKey? {
    while let key = pending.removeFirst(within: sizes) {
      guard segments[key.index].isQueued else { continue }
      withhold(key.index)
      return key
    }
    return nil
  }

  /// Takes a segment out of the queue. Its key is skipped when it reaches the front.
  mutating func withhold(_ index: Int) {
    guard segments[index].isQueued else { return }
    segments[index].isQueued = false
    pending.withhold(memory: segments[index].memory)
  }

  /// Moves a segment to the front of the queue, now or when it is queued.
  mutating func suspect(_ index: Int) {
    let isQueued = segments[index].isQueued
    withhold(index)
    segments[index].isSuspected = true
    if isQueued { enqueue(index) }
  }

  /// Queues all segments, none of which is completed any more.
  mutating func beginAgain() {
    firstMissing = 0
    forgetDeliveries()
    requeue()
  }

  /// Queues exactly the pending segments.
  mutating func requeue() {
    for index in segments.indices { segments[index].isQueued = segments[index].state == .pending }
    pending = PendingSegments(
      segments.indices.filter { segments[$0].isQueued }.map {
        (pendingKey($0), segments[$0].memory)
      })
  }
}

/// A job's position among the others.
struct JobKey: Hashable, Sendable {
  let share: Share
  let order: Int
  let id: JobID
}

/// Jobs that share one turn and the workers that may serve them: those of one priority, one submitter and one pool.
struct Share: Hashable, Sendable {
  var priority: Int
  let submitter: String?
  /// The pool whose workers serve them; `nil` for all workers.
  let pool: PoolName?
}

/// A pending segment's position in its job: suspected ones first, then those up to the first missing one in order of time,
/// because the assembly goes on meanwhile, then the longest expected, then in order of time. In a job that is rendered in
/// order, the work is zero.
struct PendingKey: Hashable, Comparable, Sendable {
  let isSuspected: Bool
  /// Whether the file waits for its chunk (``JobRecord/firstMissing``).
  let isAwaited: Bool
  /// The expected work, in any unit that is the same for all segments of the job.
  let work: Double
  let index: Int

  static func < (a: PendingKey, b: PendingKey) -> Bool {
    guard a.isSuspected == b.isSuspected else { return a.isSuspected }
    guard a.isAwaited == b.isAwaited else { return a.isAwaited }
    return (b.work, a.index) < (a.work, b.index)
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
  /// The memory that rendering it is expected to need, in bytes, rounded up to a ``MemorySize``.
  let memory: Int
  /// The pool of its job.
  let pool: PoolName?
  /// Its content, if known and if its chunk may be shared.
  var content: SharedContent?
  var state: State
  /// Whether it is in the queue of its job.
  var isQueued = false
  /// Whether it is expected to fail.
  var isSuspected = false
  /// The leases in force, the earlier one first; the second is a speculative copy.
  var leases: [LeaseToken] = []
  var attempts: Int
  var failures: [FailedAttempt]
  var expiries: Int
  /// The workers that did not get its assets.
  var heldUp: Set<WorkerID> = []
  /// The instant from which workers that have failed it may take it again; `nil` if none of its render processes was
  /// killed.
  var restsUntil: Instant?
  /// The held chunks, in the order of their delivery; empty if it is not under audit.
  var held: [HeldChunk]
  /// The worker whose chunk was accepted.
  var deliverer: WorkerID?
  /// The seconds that its last delivery took for each unit of cost; `nil` if none was seen.
  var secondsPerCost: Double?
  /// The number of frames that the more advanced of its attempts has reported.
  var framesInProgress = 0
  /// The instant since which it has been pending, or was until its lease began.
  var pendingSince = Instant(.zero)

  init(_ entry: SegmentEntry, of pool: PoolName?) {
    self.pool = pool
    frames = entry.frames
    cost = entry.cost
    memory = MemorySize.roundingUp(entry.memory)
    state =
      switch entry.state {
      case .pending: .pending
      case .leased: .leased
      case .completed: .completed
      }
    attempts = entry.attempts
    failures = entry.failures
    expiries = entry.expiries
    held = entry.held
    if case .completed(let worker) = entry.state { deliverer = worker }
  }

  /// Whether identical segments wait for it.
  var isBeingRendered: Bool { state == .leased || !held.isEmpty }

  /// Whether a chunk from the worker is held.
  func isHeld(of identity: WorkerIdentity) -> Bool { held.contains { $0.identity == identity } }

  func wasFailed(by worker: WorkerID) -> Bool { failures.contains { $0.worker == worker } }

  /// Whether the worker has failed it and must still wait for it.
  func isResting(from worker: WorkerID, at now: Instant) -> Bool {
    restsUntil.map { now < $0 } == true && wasFailed(by: worker)
  }
}

/// A lease in force.
struct LeaseRecord: Sendable {
  let grant: Grant
  /// The memory that its segment needs, in bytes.
  let memory: Int
  let since: Instant
  var expiry: Instant
  var framesRendered = 0
  /// The number of times that its chunk arrived damaged.
  var damagedUploads = 0
  /// The time of the last progress.
  var progressed: Instant
  /// The time of the last progress other than arriving asset bytes.
  var advanced: Instant
  /// The number of asset bytes that heartbeats have reported.
  var assetBytes: Int64 = 0
  /// The time when that number last grew.
  var assetsArrived: Instant?
  /// Whether the render was waiting for asset bytes at the last heartbeat.
  var waitsForAssets = false
  /// Whether it began before ``since``, under an earlier scheduler.
  let isResumed: Bool

  init(_ grant: Grant, memory: Int, since: Instant, expiry: Instant, isResumed: Bool) {
    self.grant = grant
    self.isResumed = isResumed
    self.memory = memory
    self.since = since
    self.expiry = expiry
    progressed = since
    advanced = since
  }

  /// Records a new frame, or bytes of the chunk.
  mutating func advance(at now: Instant) {
    progressed = now
    advanced = now
  }

  /// Whether it makes no progress because of its assets: the render waits for them, or only reads them.
  var isHeldUpByAssets: Bool { waitsForAssets || assetsArrived.map { $0 > progressed } ?? false }
}
