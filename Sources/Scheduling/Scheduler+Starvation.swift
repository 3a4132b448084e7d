import FarmAPI

extension Scheduler {
  /// The interval at which jobs are checked for a lack of workers.
  var starvationCheck: Duration {
    min(max(settings.starvationGrace / 4, .milliseconds(250)), .seconds(10))
  }

  /// Checks whether a job lacks workers, and for how long it has.
  mutating func checkStarvation(of id: JobID, at now: Instant) -> [Action] {
    guard jobs[id] != nil else { return [] }
    deadlines.insert(Deadline(instant: now + starvationCheck, subject: .job(id)))
    return noteIfTooLarge(id) + checkWorkers(of: id, at: now)
  }

  private mutating func checkWorkers(of id: JobID, at now: Instant) -> [Action] {
    guard let job = jobs[id] else { return [] }
    guard job.counts.pending > 0, job.counts.leased == 0,
      !hasWorkers(job.fingerprint, in: job.pool)
    else {
      change(id) { $0.starvingSince = nil }
      return reviewAudits(of: id)
    }
    guard let since = job.starvingSince else {
      change(id) { $0.starvingSince = now }
      return reviewAudits(of: id)
    }
    let isBound = job.fingerprint != nil
    if isBound, now - since >= settings.restartAfter, hasWorkers(nil, in: job.pool) {
      return restart(id, at: now)
    }
    return now - since >= settings.starvationGrace ? [.noteWaiting(id)] : []
  }

  /// Whether a worker of the fingerprint, or of any if it is `nil`, is available in a pool.
  func hasWorkers(_ fingerprint: String?, in pool: PoolName?) -> Bool {
    supply[pool]?.has(fingerprint) ?? false
  }

  /// A description of the workers that a job lacks: at once if a segment is too large for every available worker, and
  /// otherwise if it has lacked them for longer than the grace period. `nil` if it lacks none.
  public func waiting(of id: JobID, at now: Instant) -> String? {
    if let shortage = memoryShortage(of: id) { return shortage }
    if let job = jobs[id], let pool = job.pool, job.counts.pending > 0, job.counts.leased == 0,
      !hasWorkers(nil, in: pool)
    {
      return "a worker of the pool \(pool) (registered: \(describe(members(of: pool))))"
    }
    guard let job = jobs[id], let since = job.starvingSince,
      now - since >= settings.starvationGrace
    else { return nil }
    let all = members(of: job.pool)
    guard let fingerprint = job.fingerprint else {
      return "available workers (registered: \(describe(all)))"
    }
    let own = all.filter { $0.entry.fingerprint == fingerprint }
    let message =
      "available workers with the library versions that rendered its chunks "
      + "(registered: \(describe(own)))"
    guard hasWorkers(nil, in: job.pool) else { return message }
    let left = max(settings.restartAfter - (now - since), .zero).components.seconds
    return "\(message); the job restarts on other workers in \(left) s"
  }

  /// The known workers of a pool, or of the farm.
  private func members(of pool: PoolName?) -> [WorkerRecord] {
    guard let pool else { return Array(workers.values) }
    return (poolWorkers[pool] ?? []).compactMap { workers[$0] }
  }

  /// The number of these workers in each state in which a worker takes no segment.
  private func describe(_ workers: [WorkerRecord]) -> String {
    guard !workers.isEmpty else { return "none" }
    let reasons: [(String, Int)] = [
      ("lost", workers.count { $0.isLost }),
      ("draining", workers.count { !$0.isLost && $0.isDraining }),
      (
        "set aside",
        workers.count {
          !$0.isLost && !$0.isDraining && ($0.asideUntil != nil || $0.distrust != nil)
        }
      ),
    ]
    return reasons.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
  }
}
