extension TwoCoordinators {
  /// Lets everything work until the job is completed.
  ///
  /// Coordinators that have stopped start again, and all check the ledger, as they do when they are idle. Workers keep
  /// asking and delivering. Leases that no worker holds expire. The claim of a running process does not.
  ///
  /// - Returns: whether the job is completed soon.
  mutating func runFairly() -> Bool {
    for _ in 0..<Self.rounds {
      for place in coordinators.indices {
        keepRunning(place)
        guard coordinators[place].process != nil else { continue }
        for worker in workers.indices { work(worker, at: place) }
        expireLeasesOfNobody(at: place)
        if coordinators[place].process?.hasAllChunks == true { make(.finish(place)) }
        if ledger.contents.job == .completed { return true }
      }
    }
    return false
  }

  /// The slowest run: each process that has lost the ledger stops, a process starts, finds that the chunks are missing,
  /// and has them rendered.
  private static let rounds = 6

  /// Starts a process that has stopped, and stops one that has lost the ledger.
  private mutating func keepRunning(_ place: Int) {
    checkLedger(place)
    if coordinators[place].process == nil {
      let owner = ledger.contents.owner
      if !coordinators.contains(where: { $0.process?.claim == owner }) { make(.expireClaim) }
      guard mayClaim(place) else { return }
      make(.claim(place, as: place == 0 ? .first : .second))
    }
    guard let process = coordinators[place].process else { return }
    if process.view == nil { make(.restore(place)) }
    make(.sweep(place))
    for token in process.deliveries { make(.accept(token, at: place)) }
  }

  /// Lets a worker render a segment and deliver the chunk.
  private mutating func work(_ worker: Int, at place: Int) {
    make(.giveUp(worker: worker))
    if workers[worker].lease == nil { make(.ask(worker: worker, of: place)) }
    make(.beat(worker: worker, to: place))
    guard let token = workers[worker].lease?.token else { return }
    make(.offer(worker: worker, to: place))
    if coordinators[place].process?.deliveries.contains(token) == true {
      make(.accept(token, at: place))
    }
  }

  private mutating func expireLeasesOfNobody(at place: Int) {
    for lease in coordinators[place].process?.view?.leases ?? []
    where !workers.contains(where: { $0.lease?.token == lease.token }) {
      make(.expire(lease.token, at: place))
    }
  }
}
