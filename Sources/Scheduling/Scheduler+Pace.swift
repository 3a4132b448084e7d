import FarmAPI

extension Scheduler {
  /// The time that a segment is expected to take, based on its job's earlier segments or else on those of all jobs.
  func expected(_ segment: SegmentID) -> Duration? {
    guard let job = jobs[segment.job] else { return nil }
    let cost = job.segments[segment.index].cost
    return job.pace.expected(of: cost) ?? pace.expected(of: cost)
  }

  /// The time for which an attempt may make no progress.
  func patience(with token: LeaseToken) -> Duration {
    guard let lease = leases[token] else { return settings.stuckAfter }
    let expected = expected(lease.grant.segment) ?? .zero
    let patience = max(settings.stuckAfter, expected * settings.stuckSlowness)
    // A finished chunk may wait for the previous one to be delivered over a slow connection.
    let isRendered = lease.framesRendered == frames(of: lease.grant.segment)?.count
    return isRendered ? patience * 5 : patience
  }

  /// Ends an attempt whose worker sends heartbeats but makes no progress.
  mutating func checkProgress(of token: LeaseToken, at now: Instant) -> [Action] {
    guard let lease = leases[token] else { return [] }
    let patience = patience(with: token)
    guard lease.progressed + patience <= now else {
      deadlines.insert(Deadline(instant: lease.progressed + patience, subject: .progress(token)))
      return []
    }
    if lease.isHeldUpByAssets { return withdrawForAssets(token, lease, at: now) }
    let total = frames(of: lease.grant.segment)?.count ?? 0
    let report = FailureReport(
      code: .stuck,
      message: "no progress for \(Self.seconds(now - lease.progressed)) s "
        + "at frame \(lease.framesRendered) of \(total), although heartbeats arrived",
      isPermanent: false)
    return revoke(token, .stuck(report), at: now)
      + takeIn(report, of: lease.grant.worker, on: lease.grant.segment, at: now)
  }

  /// Withdraws a lease whose worker does not get the assets that it needs. It is not a failure, because the network or a
  /// proxy may be to blame, but another worker gets the segment if there is one.
  private mutating func withdrawForAssets(
    _ token: LeaseToken, _ lease: LeaseRecord, at now: Instant
  ) -> [Action] {
    let segment = lease.grant.segment
    change(segment.job) {
      $0.segments[segment.index].heldUp.insert(lease.grant.worker)
    }
    return revoke(token, .heldUp(now - lease.advanced), at: now) + settle(segment)
  }

  private static func seconds(_ duration: Duration) -> Int64 { duration.components.seconds }

  /// Schedules a check of a lease for the time when its segment may be worth a copy.
  mutating func watchPace(of token: LeaseToken, at instant: Instant) {
    guard settings.allowsCopies, let lease = leases[token] else { return }
    let wait = max(
      settings.copyAfter, (expected(lease.grant.segment) ?? .zero) * settings.copySlowness)
    deadlines.insert(Deadline(instant: instant + wait, subject: .pace(token)))
  }

  /// Records a lease as slow if it is, or schedules another check.
  mutating func checkPace(of token: LeaseToken, at now: Instant) {
    guard let lease = leases[token], leases(of: lease.grant.segment).count == 1,
      !slow.contains(token), let job = jobs[lease.grant.segment.job]
    else { return }
    guard let expected = expected(lease.grant.segment) else {
      deadlines.insert(Deadline(instant: now + settings.copyAfter / 2, subject: .pace(token)))
      return
    }
    if isWorthCopying(lease, at: now), job.available == 0 {
      slow.insert(token)
      return
    }
    let limit = max(settings.copyAfter, expected * settings.copySlowness)
    let again = max(lease.since + limit, now + max(.seconds(1), expected / 4))
    deadlines.insert(Deadline(instant: again, subject: .pace(token)))
  }

  /// The time that an attempt still needs at its current pace.
  private func remaining(_ lease: LeaseRecord, at now: Instant) -> Duration {
    let total = frames(of: lease.grant.segment)?.count ?? 0
    guard lease.framesRendered > 0 else { return .seconds(86_400) }
    let left = Double(total - lease.framesRendered) / Double(lease.framesRendered)
    return (now - lease.since) * left
  }

  /// Gives waiting workers copies of slow segments, as long as there is nothing else to do.
  mutating func copySlow(at now: Instant) -> [Action] {
    guard !slow.isEmpty else { return [] }
    for worker in cramped { wakeCramped(worker) }
    guard !waiting.isEmpty else { return [] }
    var actions: [Action] = []
    for token in slow.sorted(by: comesFirst) {
      guard let job = leases[token]?.grant.segment.job, let fingerprint = jobs[job]?.fingerprint
      else { continue }
      let lines = waitingLines(of: fingerprint, in: jobs[job]?.pool)
      var passedOver: [(line: WaitingLine, key: WaitingKey)] = []
      while let (request, place) = nextRequest(in: lines) {
        if mayCopy(token, request.worker, at: now) {
          actions += copy(token, for: request, fingerprint, at: now)
          break
        }
        passedOver.append(place)
      }
      requeue(passedOver)
    }
    return actions
  }

  /// Grants a request a copy of a slow segment that its worker may render, if there is one.
  mutating func takeCopy(for request: LeaseRequest, at now: Instant) -> [Action]? {
    guard !slow.isEmpty, let fingerprint = workers[request.worker]?.entry.fingerprint,
      let token = slow.filter({ mayCopy($0, request.worker, at: now) }).min(by: comesFirst)
    else { return nil }
    return copy(token, for: request, fingerprint, at: now)
  }

  /// Orders leases by priority and age of the jobs, then by the order of the segments.
  private func comesFirst(_ a: LeaseToken, _ b: LeaseToken) -> Bool {
    place(of: a) < place(of: b)
  }

  private func place(of token: LeaseToken) -> (Int, Int, Int) {
    guard let segment = leases[token]?.grant.segment, let key = jobs[segment.job]?.key else {
      return (.max, .max, .max)
    }
    return (-key.share.priority, key.order, segment.index)
  }

  /// Whether an attempt takes so long that a new one is expected to finish sooner.
  private func isWorthCopying(_ lease: LeaseRecord, at now: Instant) -> Bool {
    guard let expected = expected(lease.grant.segment) else { return false }
    return now - lease.since >= max(settings.copyAfter, expected * settings.copySlowness)
      && remaining(lease, at: now) > expected
  }

  private func mayCopy(_ token: LeaseToken, _ worker: WorkerID, at now: Instant) -> Bool {
    guard let lease = leases[token], let job = jobs[lease.grant.segment.job] else { return false }
    let segment = job.segments[lease.grant.segment.index]
    return lease.grant.worker != worker && job.available == 0 && segment.leases == [token]
      && job.fingerprint == workers[worker]?.entry.fingerprint && !segment.wasFailed(by: worker)
      && !segment.heldUp.contains(worker)
      && segment.memory <= workers[worker]?.freeMemory ?? 0
      && workers[worker]?.belongs(to: job.pool) == true
      && workers[worker]?.reservation == nil
      && mayRender(segment, worker)
      && isWorthCopying(lease, at: now)
  }

  private mutating func copy(
    _ token: LeaseToken, for request: LeaseRequest, _ fingerprint: String, at now: Instant
  ) -> [Action] {
    guard let segment = leases[token]?.grant.segment else { return [] }
    slow.remove(token)
    return grant(request, segment, fingerprint, isCopy: true, at: now)
  }
}
