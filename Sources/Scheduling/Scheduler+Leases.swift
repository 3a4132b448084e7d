import FarmAPI

extension Scheduler {
  mutating func heartbeat(_ token: LeaseToken, frames: Int, at now: Instant) -> [Action] {
    guard let lease = leases[token] else {
      return revoked.contains(token)
        ? [.answerHeartbeat(token, stop: true)] : [.rejectStale(token)]
    }
    let segment = lease.grant.segment
    let reported = min(frames, self.frames(of: segment)?.count ?? 0)
    if reported > lease.framesRendered {
      leases[token]?.framesRendered = reported
      leases[token]?.advance(at: now)
      countProgress(of: segment)
    }
    // The deadline in the queue is moved when it comes up.
    leases[token]?.expiry = max(lease.expiry, now + settings.leaseDuration)
    sawWorker(lease.grant.worker, at: now)
    return [.answerHeartbeat(token, stop: false)]
  }

  /// Records that a chunk is arriving, although all its frames are rendered.
  mutating func noteProgress(_ token: LeaseToken, at now: Instant) {
    leases[token]?.advance(at: now)
  }

  /// Records a heartbeat's report about the assets of a lease's segment. Arriving bytes count as progress, but only for
  /// a limited time: a worker could claim any number of them.
  mutating func noteAssets(
    of token: LeaseToken, byteCount: Int64, isWaiting: Bool, at now: Instant
  ) {
    guard var lease = leases[token] else { return }
    lease.waitsForAssets = isWaiting
    if byteCount > lease.assetBytes {
      lease.assetBytes = byteCount
      lease.assetsArrived = now
      if now - lease.advanced < settings.longestTransfer { lease.progressed = now }
    }
    leases[token] = lease
  }

  mutating func complete(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = release(token) else { return [.rejectStale(token)] }
    let grant = lease.grant
    noteDelivery(under: lease, at: now)
    var actions: [Action] = [.endAttempt(grant, .completed)]
    // The first valid chunk wins: other workers that render the segment are told to stop.
    for other in leases(of: grant.segment) { actions += revoke(other, .superseded, at: now) }
    countLease(of: grant.segment, -1)
    let isLast = change(grant.segment.job) { job in
      if !job.segments[grant.segment.index].held.isEmpty { job.segmentsUnderAudit -= 1 }
      job.segments[grant.segment.index].held = []
      job.segments[grant.segment.index].state = .completed
      job.segments[grant.segment.index].deliverer = grant.worker
      job.counts.leased -= 1
      job.counts.completed += 1
      job.framesCompleted += job.segments[grant.segment.index].frames.count
      return job.counts.completed == job.segments.count
    }
    if isLast == true { actions.append(.finishRendering(grant.segment.job)) }
    actions += shareChunk(of: grant.segment, at: now)
    wakeTwins(of: jobs[grant.segment.job]?.segments[grant.segment.index].content)
    return actions
  }

  /// Credits a delivered chunk to its worker, and records how long it took if that is known.
  mutating func noteDelivery(under lease: LeaseRecord, at now: Instant) {
    let segment = lease.grant.segment
    sawWorker(lease.grant.worker, at: now)
    change(lease.grant.worker) {
      $0.completed += 1
      $0.failedInARow = []
      if $0.refused.isEmpty { $0.timesAside = 0 }
    }
    guard !lease.isResumed else { return }
    let cost = jobs[segment.job]?.segments[segment.index].cost ?? 0
    pace.note(cost: cost, took: now - lease.since)
    change(segment.job) { $0.noteDelivery(of: segment.index, took: now - lease.since) }
  }

  mutating func fail(_ token: LeaseToken, _ report: FailureReport, at now: Instant) -> [Action] {
    guard let lease = release(token) else {
      return revoked.remove(token) == nil ? [.rejectStale(token)] : []
    }
    sawWorker(lease.grant.worker, at: now)
    return [.endAttempt(lease.grant, .failed(report))]
      + takeIn(report, of: lease.grant.worker, on: lease.grant.segment, at: now)
  }

  /// Counts a chunk whose bytes changed in transit or before. The worker sends it again.
  mutating func damage(_ token: LeaseToken, _ report: FailureReport, at now: Instant) -> [Action] {
    leases[token]?.damagedUploads += 1
    guard let lease = leases[token], lease.damagedUploads < settings.damagedUploadLimit else {
      return fail(token, report, at: now)
    }
    sawWorker(lease.grant.worker, at: now)
    return []
  }

  /// Handles a failure that a worker is to blame for.
  mutating func takeIn(
    _ report: FailureReport, of worker: WorkerID, on segment: SegmentID, at now: Instant
  ) -> [Action] {
    let attempt = failedAttempt(of: worker, report)
    hold(attempt, of: segment)
    // A permanent failure is the job's, not the worker's.
    if report.isPermanent {
      return giveUp(segment, JobFailure(code: report.code, message: report.message), at: now)
    }
    let actions = blame(worker, for: segment, at: now)
    if let failure = verdict(on: segment) { return actions + giveUp(segment, failure, at: now) }
    if report.isKill { rest(segment, at: now) }
    return actions + settle(segment)
  }

  /// Makes the workers that have failed a segment wait for it, because its render process was killed: memory that ran
  /// out is rarely free again at once. Other workers may take it at any time.
  private mutating func rest(_ segment: SegmentID, at now: Instant) {
    let kills = jobs[segment.job]?.segments[segment.index].failures.count { $0.report.isKill } ?? 1
    let pause = DoublingPause(first: settings.killPause, longest: settings.longestKillPause)
    let until = now + pause.length(after: kills - 1)
    change(segment.job) { $0.segments[segment.index].restsUntil = until }
    // Waiting requests are matched again at that time.
    deadlines.insert(Deadline(instant: until, subject: .rest(segment)))
  }

  func failedAttempt(of worker: WorkerID, _ report: FailureReport) -> FailedAttempt {
    FailedAttempt(
      worker: worker, workerName: workers[worker]?.entry.name ?? worker.rawValue,
      report: report.shortened)
  }

  /// Stores a failed attempt at a segment, if there is room.
  private mutating func hold(_ attempt: FailedAttempt, of segment: SegmentID) {
    let rest = FailureRoom.bytesOfAllJobs - failureBytes
    let added = change(segment.job) { job in
      let before = job.failureRoom.byteCount
      let held = job.failureRoom.admit(attempt, within: rest)
      job.segments[segment.index].failures.append(held)
      return job.failureRoom.byteCount - before
    }
    failureBytes += added ?? 0
  }

  mutating func giveBack(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = release(token) else {
      return revoked.remove(token) == nil ? [.rejectStale(token)] : []
    }
    sawWorker(lease.grant.worker, at: now)
    return [.endAttempt(lease.grant, .givenBack)] + settle(lease.grant.segment)
  }

  /// Ends a lease whose worker has not sent a heartbeat in time.
  mutating func expireLease(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = leases[token] else { return [] }
    guard lease.expiry <= now else {
      deadlines.insert(Deadline(instant: lease.expiry, subject: .lease(token)))
      return []
    }
    _ = release(token)
    let actions: [Action] = [.endAttempt(lease.grant, .expired)]
    if let failure = countExpiry(lease.grant.segment) {
      return actions + giveUp(lease.grant.segment, failure, at: now)
    }
    return actions + settle(lease.grant.segment)
  }

  /// Counts an attempt that ended without a reason. Too many of them fail the job.
  private mutating func countExpiry(_ segment: SegmentID) -> JobFailure? {
    let expiries = change(segment.job) { job in
      job.segments[segment.index].expiries += 1
      return job.segments[segment.index].expiries
    }
    guard let expiries, expiries >= settings.expiryLimit else { return nil }
    let message =
      "\(describe(segment)): \(expiries) workers stopped responding while rendering it: "
      + "check their logs and their memory"
    return JobFailure(code: .workersLost, message: message)
  }

  /// Takes back an accepted chunk that turned out to be bad.
  mutating func refuse(
    _ segment: SegmentID, _ report: FailureReport, at now: Instant
  ) -> [Action] {
    let worker = jobs[segment.job].flatMap { job in
      job.segments.indices.contains(segment.index) ? job.segments[segment.index].deliverer : nil
    }
    guard reopen(segment) else { return [] }
    var report = report
    report.isPermanent = false
    guard let worker else {
      forgetShared(with: segment)
      let failure = countExpiry(segment)
      return [.dropChunk(segment, nil)]
        + (failure.map { giveUp(segment, $0, at: now) } ?? settle(segment))
    }
    change(worker) { $0.refused.insert(segment) }
    return [.dropChunk(segment, failedAttempt(of: worker, report))]
      + takeIn(report, of: worker, on: segment, at: now)
  }

  /// Withdraws an accepted chunk that must no longer be used.
  mutating func forgetChunk(_ segment: SegmentID) -> [Action] {
    guard reopen(segment) else { return [] }
    return [.forgetChunk(segment)] + settle(segment)
  }

  /// Reopens a completed segment as if it were leased, so that the end of an attempt has the same effects.
  ///
  /// - Returns: whether it had a chunk.
  private mutating func reopen(_ segment: SegmentID) -> Bool {
    guard let job = jobs[segment.job], job.segments.indices.contains(segment.index),
      job.segments[segment.index].state == .completed
    else { return false }
    change(segment.job) { job in
      job.framesCompleted -= job.segments[segment.index].frames.count
      job.counts.completed -= 1
      job.counts.leased += 1
      job.segments[segment.index].state = .leased
      job.segments[segment.index].deliverer = nil
    }
    countLease(of: segment, 1)
    return true
  }

  /// Puts a lease in force.
  ///
  /// - Parameter isResumed: whether it was in force before, under an earlier scheduler.
  mutating func begin(
    _ grant: Grant, expiry: Instant, at now: Instant, isResumed: Bool = false
  ) {
    let token = grant.token
    let memory = jobs[grant.segment.job]?.segments[grant.segment.index].memory ?? 0
    leases[token] = LeaseRecord(
      grant, memory: memory, since: now, expiry: expiry, isResumed: isResumed)
    deadlines.insert(Deadline(instant: expiry, subject: .lease(token)))
    deadlines.insert(Deadline(instant: now + patience(with: token), subject: .progress(token)))
    watchPace(of: token, at: now)
    change(grant.worker) {
      $0.leases.insert(token)
      $0.memoryInUse += memory
    }
    if let submitter = jobs[grant.segment.job]?.key.share.submitter {
      running[submitter, default: 0] += 1
    } else {
      running[nil, default: 0] += 1
    }
  }

  /// Takes a lease out of force. The caller has to settle its segment.
  mutating func release(_ token: LeaseToken) -> LeaseRecord? {
    guard let lease = leases.removeValue(forKey: token) else { return nil }
    slow.remove(token)
    let segment = lease.grant.segment
    change(lease.grant.worker) {
      $0.leases.remove(token)
      $0.memoryInUse -= lease.memory
    }
    wakeCramped(lease.grant.worker)
    change(segment.job) { $0.segments[segment.index].leases.removeAll { $0 == token } }
    countProgress(of: segment)
    let submitter = jobs[segment.job]?.key.share.submitter
    let left = (running[submitter] ?? 1) - 1
    running[submitter] = left > 0 ? left : nil
    return lease
  }

  /// Takes a lease out of force, and makes sure that its worker is told to stop.
  mutating func revoke(
    _ token: LeaseToken, _ outcome: AttemptOutcome, at now: Instant
  ) -> [Action] {
    guard let lease = release(token) else { return [] }
    revoked.insert(token)
    let until = max(lease.expiry, now + settings.leaseDuration)
    deadlines.insert(Deadline(instant: until, subject: .revoked(token)))
    return [.endAttempt(lease.grant, outcome)]
  }

  /// The leases of a segment that are in force.
  func leases(of segment: SegmentID) -> [LeaseToken] {
    jobs[segment.job]?.segments[segment.index].leases ?? []
  }

  /// Recomputes the progress of a segment's attempts.
  private mutating func countProgress(of segment: SegmentID) {
    let furthest = leases(of: segment).map { leases[$0]?.framesRendered ?? 0 }.max() ?? 0
    change(segment.job) { job in
      job.framesInProgress += furthest - job.segments[segment.index].framesInProgress
      job.segments[segment.index].framesInProgress = furthest
    }
  }

  /// Settles a segment after an attempt ended without a chunk. If another worker has the segment, that attempt
  /// continues.
  mutating func settle(_ segment: SegmentID) -> [Action] {
    if let other = leases(of: segment).first {
      if let since = leases[other]?.since { watchPace(of: other, at: since) }
      return []
    }
    // Identical segments wait for the verdict on the one that is under audit.
    if !isUnderAudit(segment) { countLease(of: segment, -1) }
    let now = instant
    change(segment.job) { job in
      job.segments[segment.index].state = .pending
      job.segments[segment.index].pendingSince = now
      job.counts.leased -= 1
      job.counts.pending += 1
      job.enqueue(segment.index)
    }
    wakeTwins(of: jobs[segment.job]?.segments[segment.index].content)
    // Reads only the needed properties: holding a copy of the job would make the next change copy all of it.
    guard
      let (key, fingerprint, isUntouched) = jobs[segment.job].map({
        ($0.key, $0.fingerprint, $0.hasNoChunk && $0.counts.leased == 0)
      })
    else { return [] }
    guard fingerprint != nil, isUntouched else {
      markReady(key, fingerprint: fingerprint)
      return []
    }
    // The fingerprint has produced nothing, so any worker may try.
    unmarkReady(key, fingerprint: fingerprint)
    change(segment.job) { $0.fingerprint = nil }
    markReady(key, fingerprint: nil)
    return [.fixFingerprint(segment.job, nil)]
  }
}
