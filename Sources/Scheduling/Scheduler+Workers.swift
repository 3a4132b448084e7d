import FarmAPI

extension Scheduler {
  /// Registers a worker. After a restart, workers must be registered before the jobs whose segments they have leased
  /// are added.
  mutating func register(_ entry: WorkerEntry, at now: Instant) -> [Action] {
    guard workers[entry.id] == nil else { return [] }
    let worker = WorkerRecord(entry, now: now)
    workers[entry.id] = worker
    for pool in entry.pools { poolWorkers[pool, default: []].insert(entry.id) }
    if worker.isAvailable { countAvailable(worker) }
    checkAgain(on: entry.id, at: now + settings.leaseDuration)
    return noteTooLarge()
  }

  /// Handles a request: grants it at once if a segment is available.
  mutating func want(_ request: LeaseRequest, at now: Instant) -> [Action] {
    guard let worker = workers[request.worker] else {
      return [.refuse(request.id, .unknownWorker)]
    }
    sawWorker(request.worker, at: now)
    var isCramped = false
    if worker.takesLeases {
      switch take(for: request, at: now) {
      case .granted(let actions): return actions
      case .cramped: isCramped = true
      case .nothing: break
      }
      if let actions = takeCopy(for: request, at: now) { return actions }
    }
    guard request.deadline > now else { return [.refuse(request.id, .nothingToDo)] }
    requests[request.id] = request
    change(request.worker) { $0.requests.insert(request.id) }
    deadlines.insert(Deadline(instant: request.deadline, subject: .request(request.id)))
    if isCramped {
      cramped.insert(request.worker)
    } else if worker.takesLeases {
      queue(request.id)
    }
    return []
  }

  /// Drops a request that no longer waits.
  mutating func forget(_ id: RequestID) {
    guard let request = requests.removeValue(forKey: id) else { return }
    change(request.worker) { $0.requests.remove(id) }
    if workers[request.worker]?.requests.isEmpty == true { cramped.remove(request.worker) }
  }

  /// Records that a worker was heard from.
  mutating func sawWorker(_ id: WorkerID, at now: Instant) {
    if workers[id]?.isLost == true { checkAgain(on: id, at: now + settings.leaseDuration) }
    change(id) {
      $0.lastSeen = now
      $0.isLost = false
    }
  }

  /// Counts a failure against a worker, and sets it aside if it fails too many segments in a row.
  mutating func blame(_ id: WorkerID, for segment: SegmentID, at now: Instant) -> [Action] {
    change(id) {
      $0.failed += 1
      $0.failedInARow.insert(segment)
    }
    guard let worker = workers[id], worker.asideUntil == nil,
      worker.faults >= settings.setAsideAfter
    else { return [] }
    let pause = DoublingPause(first: settings.setAsideDuration, longest: settings.longestSetAside)
    let until = now + pause.length(after: worker.timesAside)
    change(id) {
      $0.asideUntil = until
      $0.timesAside += 1
      $0.failedInARow = []
      $0.refused = []
    }
    deadlines.insert(Deadline(instant: until, subject: .aside(id)))
    return [.setAside(id, until: until)]
  }

  /// Returns a worker that was set aside to service.
  mutating func forgive(_ id: WorkerID) -> [Action] {
    change(id) { $0.asideUntil = nil }
    guard let worker = workers[id], worker.takesLeases else { return [] }
    for request in worker.requests { queue(request) }
    return [.forgive(id)]
  }

  /// Returns a draining, set-aside or distrusted worker to service.
  mutating func resume(_ id: WorkerID) -> [Action] {
    guard let worker = workers[id] else { return [] }
    let isSame = { (other: WorkerRecord) in other.entry.identity == worker.entry.identity }
    change(id) {
      $0.isDraining = false
      $0.failedInARow = []
      $0.refused = []
    }
    var actions = forgive(id)
    // A worker is distrusted under each of its ids.
    for other in workers.values.filter({ $0.distrust != nil && isSame($0) }).map(\.entry.id)
      .sorted(by: <)
    {
      change(other) { $0.distrust = nil }
      actions += forgive(other)
    }
    return actions
  }

  /// Checks whether a worker has been silent for too long, and schedules the next check.
  mutating func checkOn(_ id: WorkerID, due: Instant, at now: Instant) -> [Action] {
    guard let worker = workers[id], worker.nextCheck == due else { return [] }
    if !worker.requests.isEmpty { sawWorker(id, at: now) }
    let lastSeen = worker.requests.isEmpty ? worker.lastSeen : now
    let lostAt = lastSeen + settings.leaseDuration
    let forgottenAt = lastSeen + settings.forgetWorkerAfter
    if now < lostAt {
      checkAgain(on: id, at: lostAt)
      return []
    }
    change(id) { $0.isLost = true }
    if now < forgottenAt || !worker.leases.isEmpty {
      checkAgain(on: id, at: max(forgottenAt, now + settings.leaseDuration))
      return worker.isLost ? [] : [.loseWorker(id)]
    }
    cancelReservation(of: id)
    cramped.remove(id)
    workers[id] = nil
    for pool in worker.entry.pools {
      poolWorkers[pool]?.remove(id)
      if poolWorkers[pool]?.isEmpty == true { poolWorkers[pool] = nil }
    }
    return [.forgetWorker(id)]
  }

  private mutating func checkAgain(on id: WorkerID, at instant: Instant) {
    change(id) { $0.nextCheck = instant }
    deadlines.insert(Deadline(instant: instant, subject: .worker(id)))
  }
}
