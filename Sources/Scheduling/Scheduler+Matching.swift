import FarmAPI

extension Scheduler {
  /// The outcome of the search for a pending segment.
  enum Taking {
    /// A segment was granted.
    case granted([Action])
    /// There are segments for the worker, but none that fits in its free memory.
    case cramped
    /// No pending segment suits the worker.
    case nothing
  }

  /// The search for a pending segment for a worker.
  private struct Search {
    let worker: WorkerID
    let fingerprint: String
    let now: Instant
    /// Whether it passed over segments that do not fit in the worker's free memory.
    var isCramped = false
    /// Whether it skipped segments that the worker may take later even if nothing else changes.
    var mayTakeLater = false
  }

  /// Grants a request the first segment that its worker may render, if there is one.
  mutating func take(for request: LeaseRequest, at now: Instant) -> Taking {
    guard let fingerprint = workers[request.worker]?.entry.fingerprint else { return .nothing }
    var search = Search(worker: request.worker, fingerprint: fingerprint, now: now)
    guard let segment = takeSegment(&search) else {
      return search.isCramped && !search.mayTakeLater ? .cramped : .nothing
    }
    return .granted(grant(request, segment, fingerprint, isCopy: false, at: now))
  }

  /// Jobs of one share that still have to be searched.
  private struct Line {
    let share: Share
    var keys: ArraySlice<JobKey>
  }

  /// Takes a pending segment that fits in the worker's free memory: from the jobs of the highest priority, then of the
  /// submitter with the fewest leases, then from the oldest job. A worker that is kept free takes the segment that it is
  /// kept free for before others of its priority.
  private mutating func takeSegment(_ search: inout Search) -> SegmentID? {
    guard let worker = workers[search.worker] else { return nil }
    let room = worker.freeMemory
    var reservation = reservation(of: search.worker)
    // The jobs of other pools are skipped together, however many there are.
    var lines = [search.fingerprint, nil].flatMap { fingerprint in
      (ready[fingerprint]?.lines ?? [:]).compactMap { share, keys in
        worker.belongs(to: share.pool) ? Line(share: share, keys: keys[...]) : nil
      }
    }
    while let next = lines.indices.min(by: { place(of: lines[$0]) < place(of: lines[$1]) }) {
      if let (need, priority) = reservation, lines[next].share.priority <= priority {
        guard need.memory <= room else {
          search.isCramped = true
          return nil
        }
        reservation = nil
        let index = takeSegment(of: need.job, within: need.memory...need.memory, &search)
        cancelReservation(for: need.memory, of: need.job)
        if let index {
          change(search.worker) { $0.owesTurn = true }
          return SegmentID(job: need.job, index: index)
        }
      }
      let key = lines[next].keys.removeFirst()
      if lines[next].keys.isEmpty { lines.remove(at: next) }
      if wouldStrand(key.id, search.fingerprint) {
        search.mayTakeLater = true
        continue
      }
      if noteOvertaken(key.id, beyond: room, by: search.worker, at: search.now) {
        search.isCramped = true
      }
      if let index = takeSegment(of: key.id, within: 0...room, &search) {
        change(search.worker) { $0.owesTurn = false }
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

  /// Takes the first pending segment of a job whose memory size is in a range. Segments that the worker has failed
  /// are left to other workers, as long as there are any.
  private mutating func takeSegment(
    of job: JobID, within sizes: ClosedRange<Int>, _ search: inout Search
  ) -> Int? {
    var passedOver: [Int] = []
    var taken: Int?
    while taken == nil, let key = change(job, { $0.dequeue(within: sizes) }) ?? nil,
      let segment = jobs[job]?.segments[key.index]
    {
      // It gets the chunk, or returns to the queue.
      if waitsForTwin(segment, search.fingerprint) { continue }
      if mayTake(segment, search.worker, search.fingerprint, at: search.now) {
        taken = key.index
      } else {
        passedOver.append(key.index)
      }
    }
    change(job) { for index in passedOver { $0.enqueue(index) } }
    if !passedOver.isEmpty { search.mayTakeLater = true }
    if taken == nil, let record = jobs[job], record.available == 0 {
      unmarkReady(record.key, fingerprint: record.fingerprint)
    }
    return taken
  }

  /// Whether a worker may take a pending segment of a job for its fingerprint, regardless of memory.
  func mayTake(
    _ segment: SegmentRecord, _ worker: WorkerID, _ fingerprint: String, at now: Instant
  ) -> Bool {
    guard workers[worker]?.belongs(to: segment.pool) == true,
      !segment.isResting(from: worker, at: now)
    else { return false }
    guard segment.held.isEmpty else { return mayRender(segment, worker) }
    let failed = segment.heldUp.union(segment.failures.map(\.worker))
    return !failed.contains(worker)
      || !hasOthers(fingerprint, than: failed, for: segment)
  }

  /// Whether an available worker of a segment's pool, other than those given, has the fingerprint and enough memory.
  private func hasOthers(
    _ fingerprint: String, than those: Set<WorkerID>, for segment: SegmentRecord
  ) -> Bool {
    workers.values.contains {
      $0.isAvailable && $0.entry.fingerprint == fingerprint && $0.memory >= segment.memory
        && $0.belongs(to: segment.pool) && !those.contains($0.entry.id)
    }
  }

  /// Grants a request a segment that was taken from the pending ones, or a copy of a leased segment.
  mutating func grant(
    _ request: LeaseRequest, _ segment: SegmentID, _ fingerprint: String, isCopy: Bool,
    at now: Instant
  ) -> [Action] {
    var actions: [Action] = []
    let attempt =
      change(segment.job) { job in
        job.hasBegun = true
        job.segments[segment.index].attempts += 1
        job.segments[segment.index].leases.append(request.token)
        job.starvingSince = nil
        if !isCopy {
          job.pending.change(job.segments[segment.index].memory) { $0.overtakenSince = nil }
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
    if !isCopy {
      if !isUnderAudit(segment) { countLease(of: segment, 1) }
      let memory = jobs[segment.job]?.segments[segment.index].memory
      if let memory { cancelReservation(for: memory, of: segment.job) }
    }
    let grant = Grant(
      token: request.token, worker: request.worker, segment: segment, attempt: attempt,
      isCopy: isCopy)
    begin(grant, expiry: now + settings.leaseDuration, at: now)
    forget(request.id)
    return actions + [.grant(request.id, grant)]
  }

  /// Grants the waiting requests the available segments, first come, first served.
  mutating func matchWaiting(at now: Instant) -> [Action] {
    // Ends the reservations whose segments no longer wait.
    for worker in reservations.values.sorted() { _ = reservation(of: worker) }
    guard !ready.isEmpty else { return [] }
    var actions: [Action] = []
    for fingerprint in Set(waiting.keys.map(\.fingerprint)).sorted() {
      var passedOver: [(line: WaitingLine, key: WaitingKey)] = []
      while let (request, place) = nextRequest(
        in: waitingLines(of: fingerprint, in: nil).filter(isAnythingReady))
      {
        switch take(for: request, at: now) {
        case .granted(let granted): actions += granted
        case .cramped: cramped.insert(request.worker)
        case .nothing: passedOver.append(place)
        }
      }
      requeue(passedOver)
    }
    return actions
  }
}
