import FarmAPI
import Scheduling

/// The rules for verdicts and grants.
extension NaiveFarm {
  /// Checks whether a verdict follows from the held chunks.
  mutating func check(_ verdict: AuditVerdict, on segment: SegmentID) {
    let held = jobs[segment.job]?.segments[segment.index].held ?? []
    require(Set(held.map(\.identity)).count == held.count, "a worker audits itself")
    switch verdict {
    case .confirmed(let chunk, let distrusted):
      tally["confirmed", default: 0] += 1
      require(held.count { $0.sha256 == chunk } > 1, "a chunk is confirmed without a second one")
      require(
        distrusted == held.filter { $0.sha256 != chunk }.map(\.identity),
        "the distrusted workers are not those that differ")
    case .undecided(let distrusted):
      tally["undecided", default: 0] += 1
      require(Set(held.map(\.sha256)).count == held.count && held.count > 1, "equal chunks differ")
      require(distrusted == held.map(\.identity), "not all differing workers are distrusted")
    case .uncompared(let chunk):
      tally["uncompared", default: 0] += 1
      require(held.map(\.sha256) == [chunk], "a chunk is accepted uncompared beside others")
    }
  }

  /// Checks whether a grant is the one that is due.
  mutating func check(_ grant: Grant, at now: Instant) {
    guard let job = jobs[grant.segment.job], let worker = workers[grant.worker] else {
      return require(false, "a segment of an ended job, or to an unknown worker")
    }
    let segment = job.segments[grant.segment.index]
    require(job.fingerprint == worker.fingerprint, "two fingerprints serve one job")
    require(!segment.isCompleted, "a completed segment is leased")
    require(belongs(worker, to: job), "a worker outside the pool gets a lease")
    require(worker.distrust == nil, "a distrusted worker gets a lease")
    require(
      !segment.held.contains { $0.worker == worker.id }, "a worker gets a segment that it delivered"
    )
    require(leases[grant.token] == nil, "a token is given twice")
    let room = freeMemory(of: worker)
    require(segment.memory <= room, "a worker's leases need more memory than it has")
    let isReserved = reserved[worker.id] == grant.segment.job
    if isReserved { reserved[worker.id] = nil }
    guard !grant.isCopy else {
      require(segment.leases.count == 1, "a copy of no lease, or of two")
      require(segment.leases.first?.worker != grant.worker, "a copy for the same worker")
      require(
        job.pending.allSatisfy {
          isRenderedElsewhere(job.segments[$0], job.fingerprint) || !job.segments[$0].held.isEmpty
        },
        "a copy while segments are pending")
      require(settings.allowsCopies, "a copy although copies are off")
      let since = segment.leases.first.flatMap { leases[$0.token]?.since } ?? now
      require(now - since >= settings.copyAfter, "a copy too soon")
      return
    }
    require(segment.leases.isEmpty, "a segment is leased twice")
    require(
      !segment.held.isEmpty || !isRenderedElsewhere(segment, worker.fingerprint),
      "a content is rendered twice at once")
    let mine = place(of: job)
    for other in jobs.values
    where (other.fingerprint == nil || other.fingerprint == worker.fingerprint)
      && (!isReserved || other.priority > job.priority) && !mayStrand(other, worker)
      && belongs(worker, to: other)
    {
      for index in other.pending
      where other.segments[index].memory <= room && other.segments[index].failures.isEmpty
        && !other.segments[index].wasHeldUp
        && other.segments[index].held.isEmpty
        // Segments that waited for a worker of another fingerprint are queued again once the job has its own
        // fingerprint.
        && !isRenderedElsewhere(
          other.segments[index],
          justBound == grant.segment.job && other.order == job.order ? nil : other.fingerprint)
      {
        if other.order == job.order {
          require(
            job.place(of: grant.segment.index) <= job.place(of: index),
            "a suspected or longer one is passed over"
          )
        } else {
          require(place(of: other) > mine, "a job is passed over")
        }
      }
    }
  }

  private func belongs(_ worker: WorkerEntry, to job: Job) -> Bool {
    job.pool.map(worker.pools.contains) ?? true
  }

  /// The memory that a worker's leases leave free.
  func freeMemory(of worker: WorkerEntry) -> Int {
    guard let memory = worker.memory else { return .max }
    return memory
      - leases.values.filter { $0.grant.worker == worker.id }.reduce(0) { $0 + $1.memory }
  }

  /// Finds workers that wait, although there is a segment that they may render and that fits in their memory.
  mutating func findIdleWorkers(_ scheduler: Scheduler, at now: Instant) {
    for id in Set(waiting.values) {
      guard let worker = workers[id], !scheduler.isReserved(id),
        scheduler.status(of: id, at: now)?.state == .active
      else { continue }
      let room = freeMemory(of: worker)
      for job in jobs.values
      where (job.fingerprint == nil || job.fingerprint == worker.fingerprint)
        && !mayStrand(job, worker) && belongs(worker, to: job)
      {
        let fits = job.pending.contains { index in
          let segment = job.segments[index]
          return segment.memory <= room && segment.failures.isEmpty && !segment.wasHeldUp
            && segment.held.isEmpty && !isRenderedElsewhere(segment, nil)
        }
        require(!fits, "a worker waits although a segment fits")
      }
    }
  }

  /// Whether a job may wait for the workers of other libraries, because it is bound to none and has a segment that is too
  /// large for this worker.
  private func mayStrand(_ job: Job, _ worker: WorkerEntry) -> Bool {
    job.fingerprint == nil
      && job.pending.contains { job.segments[$0].memory > worker.memory ?? .max }
  }

  private func place(of job: Job) -> (Int, Int, Int) {
    (-job.priority, leaseCount(of: job.submitter), job.order)
  }
}
