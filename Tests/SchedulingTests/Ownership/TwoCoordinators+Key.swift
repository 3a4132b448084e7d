extension TwoCoordinators {
  /// A key that only states with the same behavior share.
  ///
  /// Schedulers cannot be compared, so the key contains the observable part of each: the states of the segments, the
  /// leases in force and the job's fingerprint. Here, the rest of a scheduler decides nothing:
  ///
  /// - Its deadlines are always the same, relative to its clock. Every lease ends one lease duration from now, because
  ///   the workers of all other leases send heartbeats while one lease expires, and because the grace period is as
  ///   long. Other deadlines are never reached or have no effect.
  /// - The order of the pending segments follows from the job.
  /// - The numbers of attempts and of expired leases, and the workers' records, matter only at limits that no search
  ///   reaches.
  ///
  /// ``OwnershipSearch`` tests this: it compares where some states with the same key lead.
  ///
  /// Only the equality of tokens, claims and numbers of commits matters. So tokens and claims are numbered in the order
  /// in which they are found, and numbers of commits are relative to the ledger's. An ended attempt counts only if a
  /// worker or a coordinator may still name its lease. The workers are interchangeable, and so are the coordinators:
  /// the key is the smallest one for any order of them. Host names and epochs count only for the mutants that compare
  /// them.
  var key: [UInt8] {
    var smallest: [UInt8] = []
    for workers in Self.orders(workers.map(sign)) {
      for places in Self.orders(coordinators.map(sign)) {
        var writer = KeyWriter(rule: rule, workers: workers, places: places)
        writer.write(self)
        if smallest.isEmpty || writer.bytes.lexicographicallyPrecedes(smallest) {
          smallest = writer.bytes
        }
      }
    }
    return smallest
  }

  /// The order of two participants by signs that do not depend on their order, or both orders if the signs are equal.
  private static func orders(_ signs: [Int]) -> [[Int]] {
    if signs[0] == signs[1] { return [[0, 1], [1, 0]] }
    return signs[0] < signs[1] ? [[0, 1]] : [[1, 0]]
  }

  private func sign(_ worker: ModelWorker) -> Int {
    guard let lease = worker.lease else { return 0 }
    let attempt = ledger.contents.attempts.last { $0.lease.token == lease.token }
    return 1 + lease.segment + (worker.recipient == nil ? 0 : 2)
      + (attempt.map { $0.isRunning ? 4 : 8 } ?? 0)
  }

  private func sign(_ coordinator: ModelCoordinator) -> Int {
    guard let process = coordinator.process else { return 0 }
    guard let view = process.view else { return process.claim == ledger.contents.owner ? 1 : 2 }
    return (process.claim == ledger.contents.owner ? 3 : 4) + 2 * view.leases.count
      + 8 * process.deliveries.count + 32 * process.condemned.count
  }
}

/// Writes a key for one order of the workers and coordinators.
private struct KeyWriter {
  let rule: LedgerRule
  /// The indices of workers, in order.
  let workers: [Int]
  /// The indices of coordinators, in order.
  let places: [Int]
  private(set) var bytes: [UInt8] = []
  private var tokens: [Int] = []
  private var claims: [Int] = []

  init(rule: LedgerRule, workers: [Int], places: [Int]) {
    (self.rule, self.workers, self.places) = (rule, workers, places)
    bytes.reserveCapacity(160)
    tokens.reserveCapacity(8)
    claims.reserveCapacity(8)
  }

  mutating func write(_ state: TwoCoordinators) {
    let current = state.ledger.contents
    for index in workers {
      let worker = state.workers[index]
      write(token: worker.lease?.token)
      write(worker.lease?.segment)
      write(worker.recipient.flatMap(places.firstIndex))
    }
    for place in places {
      if let process = state.coordinators[place].process {
        write(process, current)
      } else {
        bytes.append(0)
      }
    }
    // The leases that these may still name.
    let live = tokens
    bytes.append(state.ledger.isExpired ? 1 : 0)
    write(state.store)
    for contents in state.ledger.earlier + [current] {
      write(contents, relativeTo: current, live)
      for place in places {
        bytes.append(state.coordinators[place].claims.contains(contents.owner.token) ? 1 : 0)
      }
    }
  }

  private mutating func write(_ process: ModelCoordinator.Process, _ current: LedgerContents) {
    bytes.append(process.view == nil ? 1 : 2)
    write(process.claim, relativeTo: current)
    write(process.commits - current.commits)
    guard let view = process.view else { return }
    for state in view.segments ?? [] { bytes.append(state.rawValue) }
    write(view.fingerprint == nil ? 3 : 4)
    write(view.leases.count)
    for lease in view.leases { write(lease) }
    // Their order has no effect.
    write(process.deliveries.count)
    for number in process.deliveries.map({ self.number(of: $0) }).sorted() { bytes.append(number) }
    write(process.condemned)
    for case .end(let lease) in process.unwritten { write(token: lease.token) }
    write(process.unwritten.contains(.fixFingerprint(nil)) ? 1 : 0)
    if !rule.hasRandomTokens { write(process.attempts) }
  }

  private mutating func write(
    _ contents: LedgerContents, relativeTo current: LedgerContents, _ live: [Int]
  ) {
    write(contents.owner, relativeTo: current)
    write(contents.commits - current.commits)
    bytes.append(contents.job.rawValue)
    write(contents.fingerprint == nil ? 0 : 1)
    for (index, segment) in contents.segments.enumerated() {
      bytes.append(segment.state.rawValue)
      for attempt in contents.attempts where attempt.isRunning && attempt.lease.segment == index {
        write(attempt.lease)
      }
      bytes.append(0)
      if !rule.hasRandomTokens { write(segment.attempts) }
    }
    for token in live {
      let attempt = contents.attempts.last { $0.lease.token == token }
      write(attempt.map { $0.isRunning ? 2 : 3 + $0.lease.segment })
    }
  }

  private mutating func write(_ lease: ModelLease) {
    write(token: lease.token)
    write(lease.segment)
    write(workers.firstIndex(of: lease.worker))
  }

  private mutating func write(_ claim: Claim, relativeTo current: LedgerContents) {
    let known = claims.firstIndex(of: claim.token)
    if known == nil { claims.append(claim.token) }
    write(known ?? claims.count - 1)
    if rule.fence == .epoch { write(claim.epoch - current.owner.epoch) }
    if rule.fence == .name { bytes.append(claim.name.rawValue) }
  }

  private mutating func write(token: Int?) {
    bytes.append(token.map { number(of: $0) } ?? 0)
  }

  /// A number for a token, from 1.
  private mutating func number(of token: Int) -> UInt8 {
    let known = tokens.firstIndex(of: token)
    if known == nil { tokens.append(token) }
    // Tokens that are not random are repeated.
    let number = rule.hasRandomTokens ? (known ?? tokens.count - 1) + 1 : token
    return UInt8(truncatingIfNeeded: number)
  }

  private mutating func write(_ segments: Set<Int>) {
    bytes.append(segments.reduce(0) { $0 | 1 << UInt8($1) })
  }

  private mutating func write(_ number: Int?) {
    bytes.append(UInt8(truncatingIfNeeded: number ?? 255))
  }
}
