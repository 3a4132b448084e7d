extension Scheduler {
  /// Handles everything that has fallen due.
  mutating func expire(at now: Instant) -> [Action] {
    var actions: [Action] = []
    var needs: [MemoryNeed] = []
    while let due = deadlines.first, due.instant <= now {
      _ = deadlines.removeFirst()
      switch due.subject {
      case .lease(let token):
        actions += expireLease(token, at: now)
      case .progress(let token):
        actions += checkProgress(of: token, at: now)
      case .pace(let token):
        checkPace(of: token, at: now)
      case .job(let id):
        actions += checkStarvation(of: id, at: now)
      case .revoked(let token):
        revoked.remove(token)
      case .memory(let need): needs.append(need)
      // Waiting requests are matched after every event.
      case .rest: break
      case .sharing:
        isSharingDue = false
        actions += shareOut(at: now)
      case .request(let id):
        guard requests[id] != nil else { continue }
        forget(id)
        actions.append(.refuse(id, .nothingToDo))
      case .worker(let id):
        actions += checkOn(id, due: due.instant, at: now)
      case .aside(let id):
        // It may have been resumed and set aside again in the meantime.
        if let until = workers[id]?.asideUntil, until <= now { actions += forgive(id) }
      }
    }
    // Of those that fall due at the same time, the first in the order of the jobs gets a worker.
    for need in needs.sorted(by: { rank(of: $0) < rank(of: $1) }) {
      actions += checkMemory(for: need, at: now)
    }
    return actions
  }

  /// Extends the deadlines by a time in which the shell did not run and could not hear from any worker.
  mutating func allow(for length: Duration, at now: Instant) {
    for index in leases.values.indices {
      let lease = leases.values[index]
      leases.values[index].expiry = max(lease.expiry, now + settings.leaseDuration)
      leases.values[index].progressed = min(now, lease.progressed + length)
      leases.values[index].advanced = min(now, lease.advanced + length)
    }
    for index in workers.values.indices {
      workers.values[index].lastSeen = min(now, workers.values[index].lastSeen + length)
    }
  }
}
