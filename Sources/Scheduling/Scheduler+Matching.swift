import FarmAPI

extension Scheduler {
  /// Grants a request the segment that comes first, where there is one that its worker may have.
  mutating func take(for request: LeaseRequest, at now: Instant) -> [Action]? {
    guard let fingerprint = workers[request.worker]?.entry.fingerprint else { return nil }
    var own = (ready[fingerprint] ?? [])[...]
    var open = (ready[nil] ?? [])[...]
    // Both lists are in order of age: merge them.
    while let key = [own.first, open.first].compactMap(\.self).min() {
      if own.first == key { own.removeFirst() } else { open.removeFirst() }
      guard let index = takeSegment(of: key.id, for: request.worker, fingerprint) else { continue }
      return grant(request, SegmentID(job: key.id, index: index), fingerprint, at: now)
    }
    return nil
  }

  /// Takes the longest pending segment of a job, but leaves those that the worker has failed to others, as
  /// long as there are others.
  private mutating func takeSegment(
    of job: JobID, for worker: WorkerID, _ fingerprint: String
  ) -> Int? {
    var passedOver: [PendingKey] = []
    defer { for key in passedOver { change(job) { $0.pending.insert(key) } } }
    while let key = change(job, { $0.pending.removeFirst() }) ?? nil {
      guard let failures = jobs[job]?.segments[key.index].failures else { return nil }
      let failed = Set(failures.map(\.worker))
      if !failed.contains(worker) || !hasOthers(fingerprint, than: failed) { return key.index }
      passedOver.append(key)
    }
    return nil
  }

  /// Whether there is an available worker of the fingerprint that is not among those.
  private func hasOthers(_ fingerprint: String, than those: Set<WorkerID>) -> Bool {
    let among = those.count { workers[$0]?.isAvailable == true }
    return (availableWorkers[fingerprint] ?? 0) > among
  }

  private mutating func grant(
    _ request: LeaseRequest, _ segment: SegmentID, _ fingerprint: String, at now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    let attempt =
      change(segment.job) { job in
        job.segments[segment.index].attempts += 1
        job.segments[segment.index].state = .leased(request.token)
        job.counts.pending -= 1
        job.counts.leased += 1
        return job.segments[segment.index].attempts
      } ?? 1
    if let job = jobs[segment.job] {
      if job.pending.isEmpty || job.fingerprint == nil {
        unmarkReady(job.key, fingerprint: job.fingerprint)
      }
      if job.fingerprint == nil {
        actions.append(.fixFingerprint(segment.job, fingerprint))
        if !job.pending.isEmpty { markReady(job.key, fingerprint: fingerprint) }
      }
    }
    change(segment.job) { $0.fingerprint = fingerprint }
    let grant = Grant(
      token: request.token, worker: request.worker, segment: segment, attempt: attempt)
    let expiry = now + settings.leaseDuration
    leases[request.token] = LeaseRecord(grant: grant, expiry: expiry)
    deadlines.insert(Deadline(instant: expiry, subject: .lease(request.token)))
    change(request.worker) { $0.leases.insert(request.token) }
    forget(request.id)
    return actions + [.grant(request.id, grant)]
  }

  /// Grants the waiting requests what there is, first come, first served.
  mutating func matchWaiting(at now: Instant) -> [Action] {
    guard !ready.isEmpty else { return [] }
    var actions: [Action] = []
    for fingerprint in waiting.keys.sorted() {
      var passedOver: [RequestID] = []
      while isAnythingReady(for: fingerprint), let id = waiting[fingerprint]?.removeFirst() {
        // A worker that was set aside meanwhile comes back into the queue when it is forgiven.
        guard let request = requests[id], workers[request.worker]?.takesLeases == true else {
          continue
        }
        if let granted = take(for: request, at: now) {
          actions += granted
        } else {
          passedOver.append(id)
        }
      }
      for id in passedOver { waiting[fingerprint]?.insert(id) }
      if waiting[fingerprint]?.isEmpty == true { waiting[fingerprint] = nil }
    }
    return actions
  }
}
