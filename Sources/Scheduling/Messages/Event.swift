import Crypto
import FarmAPI
import Planning

/// An event in the farm.
public enum Event: Hashable, Sendable {
  /// A job is ready to be rendered: just planned, retried, or read back after a restart.
  case jobAdded(JobEntry)
  /// The contents of a job's segments, in the plan's order, if they were not in its ``JobEntry``.
  case contentsKnown(JobID, [SegmentContent])
  /// A job ended outside the scheduler: cancelled, failed, or completed. Its leases are revoked.
  case jobRemoved(JobID)
  /// A job has another priority from now on. Its leases stay in force.
  case jobPrioritized(JobID, Int)
  /// A worker registered, or was read back after a restart.
  case workerRegistered(WorkerEntry)
  /// A worker finishes its leases and takes no more.
  case workerDrained(WorkerID)
  /// A worker waits for a lease.
  case leaseWanted(LeaseRequest)
  /// A worker is distrusted and gets no leases until it is resumed. The text is the reason, for messages.
  case workerDistrusted(WorkerIdentity, String)
  /// A worker that was draining, set aside or distrusted gets leases again.
  case workerResumed(WorkerID)
  /// A worker no longer waits.
  case leaseUnwanted(RequestID)
  /// A worker renews a lease. It reports how many frames it has rendered, how many asset bytes have arrived for the
  /// segment, and whether the render is waiting for such bytes.
  case heartbeat(
    LeaseToken, framesRendered: Int, assetBytes: Int64 = 0, waitsForAssets: Bool = false)
  /// Bytes of a lease's chunk are arriving.
  case chunkArriving(LeaseToken)
  /// A lease's chunk did not match its digest. This becomes a failure once it has happened too often.
  case chunkDamaged(LeaseToken, FailureReport)
  /// A lease's chunk was verified and is safely stored.
  case chunkAccepted(LeaseToken)
  /// A lease's chunk was verified and stored, and is held for comparison with another worker's.
  case chunkHeld(LeaseToken, Digest)
  /// A held chunk must no longer be used.
  case heldChunkForgotten(SegmentID, WorkerID)
  /// The verdict of ``Action/settleAudit(_:_:)`` has been recorded.
  case auditSettled(SegmentID, AuditVerdict)
  /// A chunk that was accepted turned out to be bad.
  case chunkRefused(SegmentID, FailureReport)
  /// An accepted chunk is no longer trusted, or is missing or damaged on the disk. No worker is blamed for the segment.
  case chunkForgotten(SegmentID)
  /// A worker's attempt failed.
  case attemptFailed(LeaseToken, FailureReport)
  /// A worker gives a lease back without fault.
  case leaseGivenBack(LeaseToken)
  /// The shell did not run for a while, because the host slept or was busy, and could not receive anything in that
  /// time.
  case stalled(Duration)
  /// A segment is expected to fail. It is rendered before the other segments of its job, so that the job fails early.
  case segmentSuspected(SegmentID)
  /// Only time has passed.
  case timePassed
}

/// A worker's wait for a lease.
public struct LeaseRequest: Hashable, Sendable {
  /// The wait's number.
  public var id: RequestID
  /// The waiting worker.
  public var worker: WorkerID
  /// The token that the lease gets, if one is granted.
  public var token: LeaseToken
  /// The instant at which the wait ends.
  public var deadline: Instant

  /// Creates a request.
  public init(id: RequestID, worker: WorkerID, token: LeaseToken, deadline: Instant) {
    self.id = id
    self.worker = worker
    self.token = token
    self.deadline = deadline
  }
}

/// A worker's registration.
public struct WorkerEntry: Hashable, Sendable {
  /// The id that the worker was given.
  public var id: WorkerID
  /// A name for people.
  public var name: String
  /// The number of segments that it renders at a time.
  public var slots: Int
  /// The versions of everything that decides a chunk's bytes.
  public var fingerprint: String
  /// The memory that all its leases may need together, in bytes; `nil` if it does not limit them.
  public var memory: Int?
  /// Whether it takes no more leases.
  public var isDraining: Bool
  /// The id of the worker's token; `nil` if no token is needed.
  public var token: String?
  /// The pools that it belongs to.
  public var pools: Set<PoolName>
  /// Of several waiting workers, those with a higher priority get leases first.
  public var priority: Int
  /// The reason why it is distrusted; `nil` for a trusted worker.
  public var distrust: String?
  /// The name of its host, for people.
  public var host: String?
  /// The number of processor cores that it may use, for people.
  public var cores: Int?
  /// The version of its program, for people.
  public var version: String?

  /// Its identity, which stays the same when it registers again.
  public var identity: WorkerIdentity { WorkerIdentity(name: name, token: token) }

  /// Creates a worker.
  public init(
    id: WorkerID, name: String, slots: Int, fingerprint: String, memory: Int? = nil,
    isDraining: Bool = false, token: String? = nil, distrust: String? = nil,
    pools: Set<PoolName> = [], priority: Int = 0
  ) {
    self.id = id
    self.name = name
    self.slots = slots
    self.fingerprint = fingerprint
    self.memory = memory
    self.isDraining = isDraining
    self.token = token
    self.distrust = distrust
    self.pools = pools
    self.priority = priority
  }
}
