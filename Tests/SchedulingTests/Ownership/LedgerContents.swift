import Scheduling

/// A coordinator's claim on a ledger.
struct Claim: Hashable, Sendable {
  /// Counts the claims in the ledger.
  var epoch = 0
  /// Stands for the random token. No two claims have the same.
  var token = 0
  /// The host name of the process.
  var name = HostName.first

  /// The name of a coordinator's host. A host that replaces a frozen one may get its name.
  enum HostName: UInt8, Hashable, Sendable, CaseIterable {
    case first
    case second
  }
}

/// The rows of a ledger about its owner, one job of two segments, and their attempts. The changes have the same effects
/// as the coordinator's statements in SQL.
struct LedgerContents: Hashable, Sendable {
  /// The progress of the job.
  enum JobState: UInt8, Hashable, Sendable { case rendering, assembling, completed }

  /// A row about a segment.
  struct Segment: Hashable, Sendable {
    /// The progress of the segment.
    enum State: UInt8, Hashable, Sendable { case pending, leased, completed }

    var state = State.pending
    /// The number of attempts.
    var attempts = 0
    /// The lease under which its chunk was delivered.
    var chunk: Int?
  }

  /// A row about an attempt.
  struct Attempt: Hashable, Sendable {
    let lease: ModelLease
    var isRunning = true
  }

  /// A change by a coordinator: the part of the coordinator's `Transition` that this model needs.
  enum Change: Hashable, Sendable {
    /// A lease is granted.
    case begin(ModelLease)
    /// A lease has ended without a chunk.
    case end(ModelLease)
    /// A lease's chunk is accepted.
    case accept(ModelLease)
    /// A segment's chunk is missing from the store.
    case drop(segment: Int)
    /// Only workers of the fingerprint serve the job.
    case fixFingerprint(String?)
    /// The job has reached a state.
    case advance(JobState)
  }

  var job = JobState.rendering
  var fingerprint: String?
  var segments = [Segment(), Segment()]
  var attempts: [Attempt] = []
  var owner = Claim()
  /// The number of transactions that owners committed.
  var commits = 0

  /// Makes a change, and returns the invariants that it breaks.
  mutating func apply(_ change: Change) -> [Invariant] {
    switch change {
    case .begin(let lease):
      let isKnown = attempts.contains { $0.lease.token == lease.token }
      segments[lease.segment].state = .leased
      segments[lease.segment].attempts = lease.attempt
      attempts.append(Attempt(lease: lease))
      return isKnown ? [.distinctTokens] : []
    case .end(let lease):
      endAttempts { $0.token == lease.token }
      if segments[lease.segment].state == .leased, runningAttempts(at: lease.segment).isEmpty {
        segments[lease.segment].state = .pending
      }
    case .accept(let lease):
      let isCompleted = segments[lease.segment].state == .completed
      segments[lease.segment].state = .completed
      segments[lease.segment].chunk = lease.token
      endAttempts { $0.segment == lease.segment }
      return isCompleted ? [.oneChunk] : []
    case .drop(let segment):
      segments[segment].state = .pending
      segments[segment].chunk = nil
      if job == .assembling { job = .rendering }
    case .fixFingerprint(let fingerprint): self.fingerprint = fingerprint
    case .advance(let state): job = state
    }
    return []
  }

  private mutating func endAttempts(where isMeant: (ModelLease) -> Bool) {
    for index in attempts.indices where isMeant(attempts[index].lease) {
      attempts[index].isRunning = false
    }
  }

  /// The leases of a segment that have not ended.
  func runningAttempts(at segment: Int) -> [ModelLease] {
    attempts.filter { $0.isRunning && $0.lease.segment == segment }.map(\.lease)
  }

  /// Whether the segment for which a lease was granted has a chunk. The lease may have ended.
  func hasChunk(under token: Int) -> Bool {
    attempts.contains { $0.lease.token == token && segments[$0.lease.segment].chunk != nil }
  }

  /// The job as a coordinator that starts gives it to its scheduler.
  func entry(framesPerSegment count: Int) -> JobEntry {
    let entries = segments.indices.map { index in
      let holders = runningAttempts(at: index).map {
        SegmentEntry.Holder(
          token: LeaseToken($0.token), worker: TwoCoordinators.workerIDs[$0.worker],
          attempt: $0.attempt)
      }
      let state: SegmentEntry.State =
        switch segments[index].state {
        case .completed: .completed(nil)
        case .leased where !holders.isEmpty: .leased(holders)
        case .leased, .pending: .pending
        }
      return SegmentEntry(
        frames: index * count..<(index + 1) * count, state: state,
        attempts: segments[index].attempts)
    }
    return JobEntry(
      id: TwoCoordinators.job, order: 1, fingerprint: fingerprint, segments: entries)
  }
}
