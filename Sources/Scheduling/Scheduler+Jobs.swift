import FarmAPI

extension Scheduler {
  /// Adds a job. A known job stays as it is.
  mutating func add(_ entry: JobEntry, at now: Instant) -> [Action] {
    guard jobs[entry.id] == nil else { return [] }
    let share = Share(priority: entry.priority, submitter: entry.submitter, pool: entry.pool)
    var job = JobRecord(
      key: JobKey(share: share, order: entry.order, id: entry.id), audience: entry.audience,
      isInOrder: entry.isInOrder,
      firstMissing: entry.segments.firstIndex { !$0.isCompleted } ?? 0,
      fingerprint: entry.fingerprint,
      segments: entry.segments.map { SegmentRecord($0, of: entry.pool) })
    var grants: [Grant] = []
    let rest = FailureRoom.bytesOfAllJobs - failureBytes
    for (index, segment) in entry.segments.enumerated() {
      for (number, failure) in segment.failures.enumerated() {
        let attempt = job.failureRoom.admit(failure, within: rest - job.failureRoom.byteCount)
        job.segments[index].failures[number] = attempt
      }
      switch segment.state {
      case .pending:
        job.counts.pending += 1
        job.segments[index].pendingSince = now
      case .completed:
        job.framesCompleted += segment.frames.count
        job.counts.completed += 1
      case .leased(let holders):
        job.segments[index].leases = holders.map(\.token)
        job.counts.leased += 1
        for (number, holder) in holders.enumerated() {
          grants.append(
            Grant(
              token: holder.token, worker: holder.worker,
              segment: SegmentID(job: entry.id, index: index), attempt: holder.attempt,
              isCopy: number > 0))
        }
      }
    }
    job.hasBegun = entry.segments.contains { $0.attempts > 0 }
    job.segmentsUnderAudit = job.segments.count { !$0.held.isEmpty }
    job.requeue()
    // A fingerprint without chunks or leases does not bind the job.
    let isUnbound = job.fingerprint != nil && job.hasNoChunk && grants.isEmpty
    if isUnbound { job.fingerprint = nil }
    failureBytes += job.failureRoom.byteCount
    jobs[entry.id] = job
    for grant in grants {
      begin(grant, expiry: now + settings.gracePeriod, at: now, isResumed: true)
    }
    if job.available > 0 { markReady(job.key, fingerprint: job.fingerprint) }
    deadlines.insert(Deadline(instant: now + starvationCheck, subject: .job(entry.id)))
    return (isUnbound ? [.fixFingerprint(entry.id, nil)] : [])
      + noteIfTooLarge(entry.id)
      + (job.counts.completed == job.segments.count ? [.finishRendering(entry.id)] : [])
      + (entry.contents.map { learn($0, of: entry.id, at: now) } ?? []) + reviewAudits(of: entry.id)
  }

  /// Forgets a job, and revokes its leases.
  mutating func remove(_ id: JobID, at now: Instant) -> [Action] {
    guard let job = jobs[id] else { return [] }
    unmarkReady(job.key, fingerprint: job.fingerprint)
    for line in job.pending.lines { cancelReservation(for: line.memory, of: id) }
    let tokens = job.segments.flatMap(\.leases)
    let actions = tokens.flatMap { revoke($0, .revoked, at: now) }
    let leased = job.segments.indices.filter { job.segments[$0].isBeingRendered }
    for index in leased { countLease(of: SegmentID(job: id, index: index), -1) }
    forgetContents(of: id, job.segments)
    failureBytes -= job.failureRoom.byteCount
    jobs[id] = nil
    for index in leased { wakeTwins(of: job.segments[index].content) }
    return actions
  }

  /// Fails a job because one of its segments cannot be rendered.
  mutating func giveUp(_ segment: SegmentID, _ failure: JobFailure, at now: Instant) -> [Action] {
    remove(segment.job, at: now) + [.failJob(segment, failure)]
  }

  /// Restarts a job from its first segment, for workers of any fingerprint.
  mutating func restart(_ id: JobID, at now: Instant) -> [Action] {
    guard let job = jobs[id] else { return [] }
    unmarkReady(job.key, fingerprint: job.fingerprint)
    let actions = job.segments.flatMap(\.leases).flatMap { revoke($0, .revoked, at: now) }
    let leased = job.segments.indices.filter { job.segments[$0].isBeingRendered }
    for index in leased { countLease(of: SegmentID(job: id, index: index), -1) }
    failureBytes -= job.failureRoom.byteCount
    change(id) { job in
      job.fingerprint = nil
      job.failureRoom = FailureRoom()
      for index in job.segments.indices {
        job.segments[index].state = .pending
        job.segments[index].pendingSince = now
        job.segments[index].failures = []
        job.segments[index].heldUp = []
        job.segments[index].expiries = 0
        job.segments[index].restsUntil = nil
        job.segments[index].deliverer = nil
        job.segments[index].held = []
      }
      job.segmentsUnderAudit = 0
      job.beginAgain()
      job.counts = SegmentCounts()
      job.counts.pending = job.segments.count
      job.framesCompleted = 0
      job.framesInProgress = 0
      job.starvingSince = nil
    }
    markReady(job.key, fingerprint: nil)
    for index in leased { wakeTwins(of: job.segments[index].content) }
    return actions + [.restartJob(id)]
  }

  /// Records that a job has pending segments.
  mutating func markReady(_ key: JobKey, fingerprint: String?) {
    ready[fingerprint, default: ReadyJobs()].insert(key)
    wakeCramped(for: key.id, fingerprint: fingerprint)
  }

  /// Records that a job has no pending segments.
  mutating func unmarkReady(_ key: JobKey, fingerprint: String?) {
    ready[fingerprint]?.remove(key)
    if ready[fingerprint]?.isEmpty == true { ready[fingerprint] = nil }
  }
}

extension SegmentEntry {
  fileprivate var isCompleted: Bool {
    if case .completed = state { true } else { false }
  }
}
