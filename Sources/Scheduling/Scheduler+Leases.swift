import FarmAPI

extension Scheduler {
  mutating func heartbeat(_ token: LeaseToken, frames: Int, at now: Instant) -> [Action] {
    guard let lease = leases[token] else {
      return revoked.contains(token)
        ? [.answerHeartbeat(token, stop: true)] : [.rejectStale(token)]
    }
    let segment = lease.grant.segment
    let reported = max(lease.framesRendered, min(frames, self.frames(of: segment)?.count ?? 0))
    change(segment.job) { $0.framesInProgress += reported - lease.framesRendered }
    leases[token]?.framesRendered = reported
    // The deadline in the queue moves on when it comes up.
    leases[token]?.expiry = max(lease.expiry, now + settings.leaseDuration)
    sawWorker(lease.grant.worker, at: now)
    return [.answerHeartbeat(token, stop: false)]
  }

  mutating func complete(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = release(token) else { return [.rejectStale(token)] }
    let grant = lease.grant
    sawWorker(grant.worker, at: now)
    change(grant.worker) {
      $0.completed += 1
      $0.failedInARow = []
      $0.timesAside = 0
    }
    let isLast = change(grant.segment.job) { job in
      job.segments[grant.segment.index].state = .completed
      job.counts.completed += 1
      job.framesCompleted += job.segments[grant.segment.index].frames.count
      return job.counts.completed == job.segments.count
    }
    return [.endAttempt(grant, .completed)]
      + (isLast == true ? [.finishRendering(grant.segment.job)] : [])
  }

  mutating func fail(_ token: LeaseToken, _ report: FailureReport, at now: Instant) -> [Action] {
    guard let lease = release(token) else {
      return revoked.remove(token) == nil ? [.rejectStale(token)] : []
    }
    let grant = lease.grant
    sawWorker(grant.worker, at: now)
    let attempt = FailedAttempt(
      worker: grant.worker, workerName: workers[grant.worker]?.entry.name ?? grant.worker.rawValue,
      report: report)
    change(grant.segment.job) { $0.segments[grant.segment.index].failures.append(attempt) }
    var actions: [Action] = [.endAttempt(grant, .failed(report))]
    // A failure that nothing can mend is the job's, not the worker's.
    if report.isPermanent {
      return actions
        + giveUp(grant.segment, JobFailure(code: report.code, message: report.message))
    }
    actions += blame(grant.worker, for: grant.segment, at: now)
    if let failure = verdict(on: grant.segment) {
      return actions + giveUp(grant.segment, failure)
    }
    return actions + makePending(grant.segment)
  }

  mutating func giveBack(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = release(token) else {
      return revoked.remove(token) == nil ? [.rejectStale(token)] : []
    }
    sawWorker(lease.grant.worker, at: now)
    return [.endAttempt(lease.grant, .givenBack)] + makePending(lease.grant.segment)
  }

  /// Ends a lease whose worker has not been heard of in time.
  mutating func expireLease(_ token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = leases[token] else { return [] }
    guard lease.expiry <= now else {
      deadlines.insert(Deadline(instant: lease.expiry, subject: .lease(token)))
      return []
    }
    _ = release(token)
    let segment = lease.grant.segment
    let actions: [Action] = [.endAttempt(lease.grant, .expired)]
    let expiries = change(segment.job) { job in
      job.segments[segment.index].expiries += 1
      return job.segments[segment.index].expiries
    }
    if let expiries, expiries >= settings.expiryLimit {
      let message =
        "\(describe(segment)): \(expiries) workers fell silent over it: "
        + "look at their logs and their memory"
      return actions + giveUp(segment, JobFailure(code: "workers-lost", message: message))
    }
    return actions + makePending(segment)
  }

  /// Takes a lease out of force. Its segment is left for the caller to place.
  private mutating func release(_ token: LeaseToken) -> LeaseRecord? {
    guard let lease = leases.removeValue(forKey: token) else { return nil }
    change(lease.grant.worker) { $0.leases.remove(token) }
    change(lease.grant.segment.job) {
      $0.counts.leased -= 1
      $0.framesInProgress -= lease.framesRendered
    }
    return lease
  }

  private mutating func makePending(_ segment: SegmentID) -> [Action] {
    change(segment.job) { job in
      job.segments[segment.index].state = .pending
      job.counts.pending += 1
      job.pending.insert(job.segments[segment.index].pendingKey(segment.index))
    }
    // Only what is needed of the job: a copy would be copied whole by the next change.
    guard
      let (key, fingerprint, isUntouched) = jobs[segment.job].map({
        ($0.key, $0.fingerprint, $0.counts.completed == 0 && $0.counts.leased == 0)
      })
    else { return [] }
    guard fingerprint != nil, isUntouched else {
      markReady(key, fingerprint: fingerprint)
      return []
    }
    // Nothing has come of the fingerprint: let any worker try.
    unmarkReady(key, fingerprint: fingerprint)
    change(segment.job) { $0.fingerprint = nil }
    markReady(key, fingerprint: nil)
    return [.fixFingerprint(segment.job, nil)]
  }

  /// Whether a segment has failed so often that its job fails.
  private func verdict(on segment: SegmentID) -> JobFailure? {
    guard let failures = jobs[segment.job]?.segments[segment.index].failures else { return nil }
    let distinct = Set(failures.map(\.worker)).count
    guard distinct >= settings.distinctWorkerLimit || failures.count >= settings.failureLimit,
      let code = failures.last?.report.code
    else { return nil }
    let lines = failures.map { "\(describe(segment)): \($0.workerName): \($0.report.message)" }
    return JobFailure(code: code, message: lines.joined(separator: "\n"))
  }

  private func describe(_ segment: SegmentID) -> String {
    guard let frames = jobs[segment.job]?.segments[segment.index].frames else {
      return "segment \(segment.index)"
    }
    return "segment \(segment.index) (frames \(frames.lowerBound)..<\(frames.upperBound))"
  }
}
