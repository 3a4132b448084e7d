import Crypto
import FarmAPI

/// Audits: a segment's chunk is held until another worker has rendered the segment too. Rendering is deterministic, so
/// honest workers deliver the same bytes; if two differ, a third worker decides.
///
/// Until the verdict, the segment is pending or leased like any other, so its job cannot end without it.
extension Scheduler {
  /// If the chunks of three workers all differ, a fourth chunk would not decide either.
  private static let heldLimit = 3
  /// The maximum number of held chunks of a segment, even if workers with the same token keep delivering it.
  private static let heldLimitInAll = 6

  /// Whether a segment's chunks are being compared.
  public func isUnderAudit(_ segment: SegmentID) -> Bool {
    record(of: segment)?.held.isEmpty == false
  }

  /// Whether another worker could render the segment of a lease, so that its chunk can be compared.
  public func canAudit(_ token: LeaseToken) -> Bool {
    guard let grant = leases[token]?.grant, let identity = workers[grant.worker]?.entry.identity
    else { return false }
    return hasAuditor(of: grant.segment, besides: [identity])
  }

  /// Holds a stored chunk for comparison with another worker's.
  mutating func hold(_ token: LeaseToken, _ sha256: Digest, at now: Instant) -> [Action] {
    guard let lease = release(token) else { return [.rejectStale(token)] }
    let (segment, worker) = (lease.grant.segment, lease.grant.worker)
    noteDelivery(under: lease, at: now)
    var actions: [Action] = [.endAttempt(lease.grant, .held)]
    guard let identity = workers[worker]?.entry.identity else { return actions + settle(segment) }
    // A second attempt on the same host would compare it with itself.
    for other in leases(of: segment) {
      guard let id = leases[other]?.grant.worker, workers[id]?.entry.identity == identity else {
        continue
      }
      actions += revoke(other, .superseded, at: now)
    }
    change(segment.job) { job in
      if job.segments[segment.index].held.isEmpty { job.segmentsUnderAudit += 1 }
      job.segments[segment.index].held.append(
        HeldChunk(worker: worker, identity: identity, sha256: sha256))
    }
    return actions + settle(segment) + reviewAudit(of: segment)
  }

  /// Checks whether a segment's held chunks now allow a verdict, for example because workers have left.
  mutating func reviewAudit(of segment: SegmentID) -> [Action] {
    guard let record = record(of: segment), !record.held.isEmpty else { return [] }
    if let verdict = auditVerdict(on: segment) {
      // No worker may start the segment while the shell records the verdict.
      change(segment.job) { $0.withhold(segment.index) }
      return [.settleAudit(segment, verdict)]
    }
    if record.state == .pending, !record.isQueued { offer(segment) }
    return []
  }

  /// Reviews all audits of a job.
  mutating func reviewAudits(of id: JobID) -> [Action] {
    guard let job = jobs[id], job.segmentsUnderAudit > 0 else { return [] }
    return job.segments.indices.filter { !job.segments[$0].held.isEmpty }
      .flatMap { reviewAudit(of: SegmentID(job: id, index: $0)) }
  }

  /// Reviews all audits after the departure of a worker that might have rendered a segment.
  mutating func reviewAudits() -> [Action] {
    let audited = jobs.values.filter { $0.segmentsUnderAudit > 0 }.map(\.key)
    return audited.sorted { $0.order < $1.order }.flatMap { reviewAudits(of: $0.id) }
  }

  /// Ends an audit with the verdict that the shell has recorded.
  mutating func endAudit(
    of segment: SegmentID, _ verdict: AuditVerdict, at now: Instant
  ) -> [Action] {
    guard let record = record(of: segment), !record.held.isEmpty else { return [] }
    guard let chunk = verdict.chunk else { return dropHeld(of: segment) { _ in true } }
    var actions = leases(of: segment).flatMap { revoke($0, .superseded, at: now) }
    countLease(of: segment, -1)
    let isLast = change(segment.job) { job in
      let old = job.segments[segment.index]
      job.withhold(segment.index)
      if old.state == .pending { job.counts.pending -= 1 } else { job.counts.leased -= 1 }
      job.counts.completed += 1
      job.framesCompleted += old.frames.count
      job.segmentsUnderAudit -= 1
      job.segments[segment.index].state = .completed
      job.segments[segment.index].deliverer = old.held.first { $0.sha256 == chunk }?.worker
      job.segments[segment.index].held = []
      return job.counts.completed == job.segments.count
    }
    if isLast == true { actions.append(.finishRendering(segment.job)) }
    actions += shareChunk(of: segment, at: now)
    wakeTwins(of: record.content)
    return actions
  }

  /// Drops some of a segment's held chunks. Dropping the last one ends the audit, and the segment is rendered like any
  /// other.
  mutating func dropHeld(
    of segment: SegmentID, where isDropped: (HeldChunk) -> Bool
  ) -> [Action] {
    guard let record = record(of: segment), record.held.contains(where: isDropped) else {
      return []
    }
    let left = record.held.filter { !isDropped($0) }
    change(segment.job) { $0.segments[segment.index].held = left }
    guard left.isEmpty else { return reviewAudit(of: segment) }
    change(segment.job) { job in
      job.segmentsUnderAudit -= 1
      guard record.state == .pending else { return }
      // Treated as leased, so that the end of an attempt has the same effects.
      job.withhold(segment.index)
      job.counts.pending -= 1
      job.counts.leased += 1
      job.segments[segment.index].state = .leased
    }
    return record.state == .pending ? settle(segment) : []
  }

  /// Stops giving leases to a worker until it is resumed, even if it registers again.
  mutating func distrust(
    _ identity: WorkerIdentity, _ reason: String, at now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    for id in workers.keys.filter({ workers[$0]?.entry.identity == identity }).sorted(by: <) {
      change(id) { $0.distrust = reason }
      actions.append(.distrust(id))
      for token in workers[id]?.leases.sorted(by: { $0.rawValue < $1.rawValue }) ?? [] {
        guard let segment = leases[token]?.grant.segment else { continue }
        actions += revoke(token, .distrusted, at: now) + settle(segment)
      }
    }
    return actions + reviewAudits()
  }

  /// Whether audits allow a worker to have a pending segment: never if its own chunk is held, and if another worker's
  /// is held, only if no other worker is more suitable.
  func mayRender(_ segment: SegmentRecord, _ id: WorkerID) -> Bool {
    guard !segment.held.isEmpty, let worker = workers[id] else { return true }
    guard !segment.isHeld(of: worker.entry.identity) else { return false }
    let rank = unfitness(of: worker, for: segment)
    return rank == 0
      || !workers.values.contains { other in
        other.isAvailable && other.entry.fingerprint == worker.entry.fingerprint
          && other.memory >= segment.memory && other.belongs(to: segment.pool)
          && !segment.isHeld(of: other.entry.identity)
          && unfitness(of: other, for: segment) < rank
      }
  }

  /// A rank of how unsuitable a worker is to audit a segment. A worker with another token that has not failed the
  /// segment is the most suitable.
  private func unfitness(of worker: WorkerRecord, for segment: SegmentRecord) -> Int {
    let token = worker.entry.token
    let sharesToken = token != nil && segment.held.contains { $0.identity.token == token }
    return (segment.wasFailed(by: worker.entry.id) ? 2 : 0) + (sharesToken ? 1 : 0)
  }

  /// The verdict that follows from a segment's held chunks; `nil` if it has none, or if another worker still has to
  /// render it.
  public func auditVerdict(on segment: SegmentID) -> AuditVerdict? {
    guard let record = record(of: segment), let first = record.held.first else { return nil }
    let held = record.held
    let voters = Voters(held)
    let sound = held.first { chunk in
      voters.count(of: held.filter { $0.sha256 == chunk.sha256 }) > 1
    }?.sha256
    if let sound {
      return .confirmed(
        sound, distrusted: held.filter { $0.sha256 != sound }.map(\.identity))
    }
    guard record.leases.isEmpty else { return nil }
    if voters.count(of: held) < Self.heldLimit, held.count < Self.heldLimitInAll,
      hasAuditor(of: segment, besides: held.map(\.identity), withOtherTokens: voters.areTokens)
    {
      return nil
    }
    return held.count == 1
      ? .uncompared(first.sha256) : .undecided(distrusted: held.map(\.identity))
  }

  /// Whether a suitable worker other than `those` is available.
  ///
  /// - Parameter withOtherTokens: whether it must have a token that none of those has.
  private func hasAuditor(
    of segment: SegmentID, besides those: [WorkerIdentity], withOtherTokens: Bool = false
  ) -> Bool {
    guard let fingerprint = jobs[segment.job]?.fingerprint, let record = record(of: segment)
    else { return false }
    return workers.values.contains { worker in
      worker.isAvailable && worker.entry.fingerprint == fingerprint
        && worker.memory >= record.memory && worker.belongs(to: record.pool)
        && !those.contains(worker.entry.identity)
        && !(withOtherTokens && those.contains { $0.token == worker.entry.identity.token })
    }
  }

  private func record(of segment: SegmentID) -> SegmentRecord? {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index) else {
      return nil
    }
    return job.segments[segment.index]
  }

  /// Offers a pending segment to workers.
  private mutating func offer(_ segment: SegmentID) {
    change(segment.job) { $0.enqueue(segment.index) }
    if let job = jobs[segment.job] { markReady(job.key, fingerprint: job.fingerprint) }
  }
}

/// The voters that decide between differing chunks.
///
/// A host can register under many names, so each token has one vote. If all chunks came with one token or without any,
/// or are all equal, names are counted instead, for lack of anything better.
private struct Voters {
  /// Whether tokens are counted instead of names.
  let areTokens: Bool

  init(_ held: [HeldChunk]) {
    areTokens =
      Set(held.map(\.identity.token)).count > 1 && Set(held.map(\.sha256)).count > 1
  }

  /// The number of votes for those chunks.
  func count(of held: [HeldChunk]) -> Int {
    areTokens ? Set(held.map(\.identity.token)).count : held.count
  }
}
