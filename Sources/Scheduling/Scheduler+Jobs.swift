import FarmAPI

extension Scheduler {
  /// Takes a job in. One that is known already stays as it is.
  mutating func add(_ entry: JobEntry, at now: Instant) -> [Action] {
    guard jobs[entry.id] == nil else { return [] }
    var job = JobRecord(
      key: JobKey(order: entry.order, id: entry.id), fingerprint: entry.fingerprint, segments: [],
      pending: PriorityQueue())
    job.segments.reserveCapacity(entry.segments.count)
    var pending: [PendingKey] = []
    for (index, segment) in entry.segments.enumerated() {
      var record = SegmentRecord(
        frames: segment.frames, cost: segment.cost, state: .pending, attempts: segment.attempts,
        failures: segment.failures, expiries: segment.expiries)
      switch segment.state {
      case .pending:
        pending.append(record.pendingKey(index))
        job.counts.pending += 1
      case .completed:
        record.state = .completed
        job.framesCompleted += segment.frames.count
        job.counts.completed += 1
      case .leased(let token, let worker):
        record.state = .leased(token)
        job.counts.leased += 1
        restore(
          Grant(
            token: token, worker: worker, segment: SegmentID(job: entry.id, index: index),
            attempt: segment.attempts), at: now)
      }
      job.segments.append(record)
    }
    job.pending = PriorityQueue(pending)
    jobs[entry.id] = job
    if !pending.isEmpty { markReady(job.key, fingerprint: job.fingerprint) }
    return job.counts.completed == job.segments.count ? [.finishRendering(entry.id)] : []
  }

  /// A lease from before a restart: kept for the grace period.
  private mutating func restore(_ grant: Grant, at now: Instant) {
    let expiry = now + settings.gracePeriod
    leases[grant.token] = LeaseRecord(grant: grant, expiry: expiry)
    deadlines.insert(Deadline(instant: expiry, subject: .lease(grant.token)))
    change(grant.worker) { $0.leases.insert(grant.token) }
  }

  /// Forgets a job, and revokes its leases.
  mutating func remove(_ id: JobID) -> [Action] {
    guard let job = jobs.removeValue(forKey: id) else { return [] }
    unmarkReady(job.key, fingerprint: job.fingerprint)
    var actions: [Action] = []
    for case .leased(let token) in job.segments.map(\.state) {
      guard let lease = leases.removeValue(forKey: token) else { continue }
      change(lease.grant.worker) { $0.leases.remove(token) }
      revoked.insert(token)
      deadlines.insert(Deadline(instant: lease.expiry, subject: .revoked(token)))
      actions.append(.endAttempt(lease.grant, .revoked))
    }
    return actions
  }

  /// Ends a job because one of its segments cannot be rendered.
  mutating func giveUp(_ segment: SegmentID, _ failure: JobFailure) -> [Action] {
    remove(segment.job) + [.failJob(segment, failure)]
  }

  /// Whether any job has a segment for a worker of the fingerprint.
  func isAnythingReady(for fingerprint: String) -> Bool {
    ready[fingerprint] != nil || ready[nil] != nil
  }

  /// Notes that a job has pending segments.
  mutating func markReady(_ key: JobKey, fingerprint: String?) {
    var keys = ready[fingerprint] ?? []
    ready[fingerprint] = nil
    let place = keys.place(of: key)
    if place == keys.endIndex || keys[place] != key { keys.insert(key, at: place) }
    ready[fingerprint] = keys
  }

  /// Notes that a job has none.
  mutating func unmarkReady(_ key: JobKey, fingerprint: String?) {
    guard var keys = ready[fingerprint] else { return }
    ready[fingerprint] = nil
    let place = keys.place(of: key)
    if place < keys.endIndex, keys[place] == key { keys.remove(at: place) }
    ready[fingerprint] = keys.isEmpty ? nil : keys
  }
}

extension [JobKey] {
  /// Where `key` is, or belongs, by binary search.
  fileprivate func place(of key: JobKey) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
