import FarmAPI

extension Scheduler {
  /// Grants a request the first segment that its worker may render, if there is one.
  mutating func take(for request: LeaseRequest, at now: Instant) -> [Action]? {
    guard let fingerprint = workers[request.worker]?.entry.fingerprint,
      let segment = takeSegment(for: request.worker, fingerprint, at: now)
    else { return nil }
    return grant(request, segment, fingerprint, isCopy: false, at: now)
  }

  /// Jobs of one share that still have to be searched.
  private struct Line {
    let share: Share
    var keys: ArraySlice<JobKey>
  }

  /// Takes a pending segment: from the jobs of the highest priority, then of the submitter with the fewest leases, then
  /// from the oldest job.
  private mutating func takeSegment(
    for worker: WorkerID, _ fingerprint: String, at now: Instant
  ) -> SegmentID? {
    var lines = [fingerprint, nil].flatMap { fingerprint in
      ready[fingerprint]?.lines.map { Line(share: $0.key, keys: $0.value[...]) } ?? []
    }
    while let next = lines.indices.min(by: { place(of: lines[$0]) < place(of: lines[$1]) }) {
      let key = lines[next].keys.removeFirst()
      if lines[next].keys.isEmpty { lines.remove(at: next) }
      if let index = takeSegment(of: key.id, for: worker, fingerprint, at: now) {
        return SegmentID(job: key.id, index: index)
      }
    }
    return nil
  }

  private func place(of line: Line) -> (Int, Int, Int) {
    (
      -line.share.priority, running[line.share.submitter] ?? 0, line.keys.first?.order ?? .max
    )
  }

  /// Takes the longest pending segment of a job. Segments that the worker has failed are left to other workers, as long
  /// as there are any.
  private mutating func takeSegment(
    of job: JobID, for worker: WorkerID, _ fingerprint: String, at now: Instant
  ) -> Int? {
    var passedOver: [Int] = []
    var taken: Int?
    while taken == nil, let key = change(job, { $0.dequeue() }) ?? nil,
      let segment = jobs[job]?.segments[key.index]
    {
      // It returns to the queue when the attempt at the identical segment ends.
      if segment.held.isEmpty, isRenderedElsewhere(segment.content, fingerprint) { continue }
      // It gets the delivered chunk, or returns to the queue.
      if segment.held.isEmpty, isBeingShared(segment.content) { continue }
      guard !segment.isResting(from: worker, at: now) else {
        passedOver.append(key.index)
        continue
      }
      guard segment.held.isEmpty else {
        if mayRender(segment, worker) { taken = key.index } else { passedOver.append(key.index) }
        continue
      }
      let failed = segment.heldUp.union(segment.failures.map(\.worker))
      if !failed.contains(worker) || !hasOthers(fingerprint, than: failed) {
        taken = key.index
      } else {
        passedOver.append(key.index)
      }
    }
    change(job) { for index in passedOver { $0.enqueue(index) } }
    if taken == nil, let record = jobs[job], record.available == 0 {
      unmarkReady(record.key, fingerprint: record.fingerprint)
    }
    return taken
  }

  /// Whether there is an available worker of the fingerprint besides those.
  private func hasOthers(_ fingerprint: String, than those: Set<WorkerID>) -> Bool {
    let among = those.count { workers[$0]?.isAvailable == true }
    return (availableWorkers[fingerprint] ?? 0) > among
  }

  /// Grants a request a segment that was taken from the pending ones, or a copy of a leased segment.
  mutating func grant(
    _ request: LeaseRequest, _ segment: SegmentID, _ fingerprint: String, isCopy: Bool,
    at now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    let attempt =
      change(segment.job) { job in
        job.segments[segment.index].attempts += 1
        job.segments[segment.index].leases.append(request.token)
        job.starvingSince = nil
        if !isCopy {
          job.segments[segment.index].state = .leased
          job.counts.pending -= 1
          job.counts.leased += 1
        }
        return job.segments[segment.index].attempts
      } ?? 1
    if let (key, bound, hasPending) = jobs[segment.job].map({
      ($0.key, $0.fingerprint, $0.available > 0)
    }) {
      if !hasPending || bound == nil { unmarkReady(key, fingerprint: bound) }
      if bound == nil {
        actions.append(.fixFingerprint(segment.job, fingerprint))
        if hasPending { markReady(key, fingerprint: fingerprint) }
      }
    }
    let isBinding = jobs[segment.job]?.fingerprint == nil
    change(segment.job) { $0.fingerprint = fingerprint }
    if isBinding {
      wakeAll(of: segment.job)
      if let job = jobs[segment.job], job.available > 0 {
        markReady(job.key, fingerprint: fingerprint)
      }
    }
    if !isCopy, !isUnderAudit(segment) { countLease(of: segment, 1) }
    let grant = Grant(
      token: request.token, worker: request.worker, segment: segment, attempt: attempt,
      isCopy: isCopy)
    begin(grant, expiry: now + settings.leaseDuration, at: now)
    forget(request.id)
    return actions + [.grant(request.id, grant)]
  }

  /// Grants the waiting requests the available segments, first come, first served.
  mutating func matchWaiting(at now: Instant) -> [Action] {
    guard !ready.isEmpty else { return [] }
    var actions: [Action] = []
    for fingerprint in waiting.keys.sorted() {
      var passedOver: [RequestID] = []
      while isAnythingReady(for: fingerprint), let id = waiting[fingerprint]?.removeFirst() {
        // A worker that was set aside returns to the queue when it is forgiven.
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
