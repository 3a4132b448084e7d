import Scheduling
import Support

/// Two coordinators, each with the product's scheduler, that share a ledger and a store of chunks, and two workers that
/// render a job of two segments.
///
/// A coordinator does the same as `Farm`: it lets its scheduler decide, writes the decision to the ledger, and answers
/// after the commit. The acceptance of a chunk is written before the scheduler learns of it. A process whose write the
/// ledger refuses stops, as after `LedgerError.lost`. The model is simpler than the product in these points:
///
/// - A suspended process is one that makes no move while its claim expires. So every process may be a zombie, which
///   still answers workers and tries to write.
/// - A crashed worker is one that has forgotten its lease. A dead worker makes no move.
/// - Workers do not wait for leases: a request that cannot be granted is refused at once.
/// - Reading the ledger at the start is one step, which ends with a write that checks the claim. In the product, a
///   failover may happen between the reading and the write, within milliseconds.
/// - Transactions that would only increase the number of commits are left out.
/// - While the ledger does not answer, leases expire, which is written later. Other moves have no effect then, because
///   requests are refused until the ledger answers.
struct TwoCoordinators: Sendable {
  /// The indices of the job's segments.
  static let segments = 0..<2
  static let job = JobID(rawValue: "job")
  static let workerIDs = [WorkerID(rawValue: "w0"), WorkerID(rawValue: "w1")]
  private static let framesPerSegment = 30
  private static let fingerprint = "x264"

  let rule: LedgerRule
  let settings: SchedulerSettings
  var ledger = SharedLedger()
  var coordinators = [ModelCoordinator(), ModelCoordinator()]
  var workers = [ModelWorker(), ModelWorker()]
  /// The segments whose chunks are in the store. All chunks of a segment are equal and have the same name.
  var store: Set<Int> = []
  /// The invariants that moves broke.
  var broken: Set<Invariant> = []
  /// The turning points that moves reached.
  var landmarks: Set<Landmark> = []
  private var lastToken = 0
  private var lastClaim = 0

  /// The usual state of a farm: the first coordinator runs, and the second is ready to replace it.
  ///
  /// No exploration reaches the time limits other than those of leases, or the limit of expired leases. Slow segments
  /// are not copied; ``ExplorationTests`` includes copies.
  init(_ rule: LedgerRule) throws {
    self.rule = rule
    settings = try SchedulerSettings(
      leaseDuration: .seconds(30), gracePeriod: .seconds(30), expiryLimit: 1_000,
      forgetWorkerAfter: Self.never, allowsCopies: false, stuckAfter: Self.never,
      longestTransfer: Self.never, starvationGrace: Self.never, restartAfter: Self.never)
    make(.claim(0, as: .first))
    make(.restore(0))
    ledger.replicate()
    forgetLostClaims()
  }

  private static let never = Duration.seconds(1_000_000)

  /// Makes a move that is possible.
  mutating func make(_ move: Move) {
    switch move {
    case .claim(let place, let name): claim(place, as: name)
    case .restore(let place): restore(place)
    case .kill(let place): stop(place)
    case .ask(let worker, let place): ask(worker, place)
    case .beat(let worker, let place): beat(worker, place)
    case .offer(let worker, let place): offer(worker, place)
    case .accept(let token, let place): accept(token, at: place)
    case .expire(let token, let place):
      if let changes = expire(token, at: place) { _ = write(changes, by: place) }
    case .expireUnwritten(let token, let place):
      let changes = expire(token, at: place) ?? []
      coordinators[place].process?.unwritten += changes
    case .finish(let place): finish(place)
    case .sweep(let place): sweep(place)
    case .giveUp(let worker): workers[worker].recipient = nil
    case .crash(let worker): workers[worker] = ModelWorker()
    case .expireClaim: ledger.isExpired = true
    case .failOver(let count): failOver(count)
    }
  }
}

// MARK: - Coordinators

extension TwoCoordinators {
  private mutating func claim(_ place: Int, as name: Claim.HostName) {
    lastClaim += 1
    let claim = ledger.claim(token: lastClaim, name: name)
    coordinators[place].claims.append(claim.token)
    coordinators[place].process = ModelCoordinator.Process(
      claim, knowing: ledger.contents.commits)
    forgetLostClaims()
  }

  private mutating func failOver(_ count: Int) {
    let before = ledger.contents
    ledger.lose(count)
    if zip(before.segments, ledger.contents.segments).contains(where: {
      $0.state == .completed && $1.state != .completed
    }) {
      landmarks.insert(.acceptanceLost)
    }
    let owner = ledger.contents.owner
    if owner != before.owner, coordinators.contains(where: { $0.process?.claim == owner }) {
      landmarks.insert(.claimLost)
    }
    forgetLostClaims()
  }

  /// A lost claim never returns.
  private mutating func forgetLostClaims() {
    let claims = ledger.claims
    for place in coordinators.indices {
      coordinators[place].claims.removeAll { !claims.contains($0) }
    }
  }

  /// Reads the ledger, and removes the chunks that it does not need.
  private mutating func restore(_ place: Int) {
    coordinators[place].process?.begin(settings)
    coordinators[place].process?.attempts = ledger.contents.segments.reduce(0) { $0 + $1.attempts }
    for id in Self.workerIDs {
      let entry = WorkerEntry(
        id: id, name: id.rawValue, slots: 1, fingerprint: Self.fingerprint)
      guard dispatch(.workerRegistered(entry), at: place) != nil else { return }
    }
    guard ledger.contents.job != .completed else { return condemn(at: place) }
    for segment in Self.segments
    where ledger.contents.segments[segment].state == .completed && !store.contains(segment) {
      guard write([.drop(segment: segment)], by: place) else { return }
    }
    // The product always writes this, and so finds out whether it was replaced.
    let isRendering = ledger.contents.job == .rendering
    guard !rule.checksStart || probe(place),
      isRendering || write([.advance(.rendering)], by: place)
    else { return }
    let entry = ledger.contents.entry(framesPerSegment: Self.framesPerSegment)
    guard dispatch(.jobAdded(entry), at: place) != nil else { return }
    condemn(at: place)
  }

  private mutating func condemn(at place: Int) {
    let contents = ledger.contents
    coordinators[place].process?.condemned = store.filter {
      contents.job == .completed || contents.segments[$0].state != .completed
    }
  }

  /// Removes unneeded chunks from the store, which takes time. Unlike the product, the model lets a replaced process do
  /// this at any time.
  private mutating func sweep(_ place: Int) {
    guard let process = coordinators[place].process else { return }
    let contents = ledger.contents
    if contents.job != .completed, process.claim != contents.owner,
      process.condemned.contains(where: { contents.segments[$0].state == .completed })
    {
      landmarks.insert(.acceptedChunkRemoved)
    }
    store.subtract(process.condemned)
    coordinators[place].process?.condemned = []
  }

  /// Ends a process. Workers get no answer from it.
  private mutating func stop(_ place: Int) {
    coordinators[place].process = nil
    for worker in workers.indices where workers[worker].recipient == place {
      workers[worker].recipient = nil
    }
  }

  /// Lets the scheduler handle an event, and writes what it decides.
  ///
  /// - Returns: its actions; `nil` if the process does not run any more.
  @discardableResult
  private mutating func dispatch(_ event: Event, at place: Int) -> [Action]? {
    guard let actions = coordinators[place].process?.handle(event),
      write(actions.compactMap(LedgerContents.Change.init), by: place)
    else { return nil }
    return actions
  }

  /// Writes changes in a transaction, after those that could not be written earlier. The process stops if the ledger
  /// refuses it.
  private mutating func write(_ changes: [LedgerContents.Change], by place: Int) -> Bool {
    let changes = (coordinators[place].process?.unwritten ?? []) + changes
    guard !changes.isEmpty else { return true }
    guard probe(place), let process = coordinators[place].process else { return false }
    coordinators[place].process?.unwritten = []
    if process.claim != ledger.contents.owner { broken.insert(.onlyOwnerWrites) }
    for case .drop(let segment) in changes where isStored(segment, for: process) {
      broken.insert(.acceptedStays)
    }
    broken.formUnion(ledger.commit(changes))
    coordinators[place].process?.commits = ledger.contents.commits
    forgetLostClaims()
    return true
  }

  /// Finds out whether the ledger accepts transactions of the process, which stops otherwise.
  @discardableResult
  private mutating func probe(_ place: Int) -> Bool {
    guard let process = coordinators[place].process else { return false }
    if ledger.admits(process.claim, knowing: process.commits, by: rule) { return true }
    let isOwner = process.claim == ledger.contents.owner
    landmarks.insert(isOwner ? .mistakenOwnerStops : .replacedProcessStops)
    stop(place)
    return false
  }

  /// Writes the changes that could not be written earlier, or finds out whether the ledger can be written. An idle
  /// process does this, too.
  mutating func checkLedger(_ place: Int) {
    if coordinators[place].process?.unwritten.isEmpty == false {
      _ = write([], by: place)
    } else {
      probe(place)
    }
  }

  /// Whether a chunk exists for a process: one that it is about to remove counts as missing.
  private func isStored(_ segment: Int, for process: ModelCoordinator.Process) -> Bool {
    store.contains(segment) && !process.condemned.contains(segment)
  }
}

// MARK: - Leases

extension TwoCoordinators {
  private mutating func ask(_ worker: Int, _ place: Int) {
    guard let process = coordinators[place].process else { return }
    lastToken += 1
    let number = rule.hasRandomTokens ? lastToken : process.attempts + 1
    let request = LeaseRequest(
      id: RequestID(rawValue: UInt64(lastToken)), worker: Self.workerIDs[worker],
      token: LeaseToken(number), deadline: process.now)
    for case .grant(_, let grant) in dispatch(.leaseWanted(request), at: place) ?? [] {
      if workers.contains(where: { $0.lease?.token == number }) {
        broken.insert(.distinctTokens)
      }
      coordinators[place].process?.attempts += 1
      workers[worker].lease = ModelLease(grant)
    }
  }

  private mutating func beat(_ worker: Int, _ place: Int) {
    guard let number = workers[worker].lease?.token else { return }
    let token = LeaseToken(number)
    let actions = dispatch(.heartbeat(token, framesRendered: 0), at: place)
    if actions?.contains(.answerHeartbeat(token, stop: false)) == false {
      workers[worker] = ModelWorker()
    }
  }

  /// A worker offers its chunk, and sends the bytes if they are wanted. They are stored, but not accepted yet.
  private mutating func offer(_ worker: Int, _ place: Int) {
    guard let lease = workers[worker].lease, let process = coordinators[place].process else {
      return
    }
    workers[worker].recipient = place
    guard process.lease(under: lease.token) != nil else {
      return answerLate(lease.token, at: place)
    }
    store.insert(lease.segment)
    coordinators[place].process?.condemned.remove(lease.segment)
    if !process.deliveries.contains(lease.token) {
      coordinators[place].process?.deliveries.append(lease.token)
    }
  }

  /// Accepts a stored chunk, if its lease is in force.
  private mutating func accept(_ token: Int, at place: Int) {
    coordinators[place].process?.deliveries.removeAll { $0 == token }
    guard let process = coordinators[place].process else { return }
    guard let lease = process.lease(under: token) else { return answerLate(token, at: place) }
    guard isStored(lease.segment, for: process) else {
      // It may try again.
      return answer(token, at: place) { $0.recipient = nil }
    }
    guard write([.accept(lease)], by: place) else { return }
    answer(token, at: place) { $0 = ModelWorker() }
    dispatch(.chunkAccepted(LeaseToken(token)), at: place)
  }

  /// Answers the delivery under a lease that the coordinator does not have. Either the segment has an equal chunk, or
  /// the chunk is useless. The worker does not deliver it again.
  private mutating func answerLate(_ token: Int, at place: Int) {
    if ledger.contents.hasChunk(under: token) { landmarks.insert(.acceptedBefore) }
    answer(token, at: place) { $0 = ModelWorker() }
  }

  /// Answers the workers that wait for an answer about a lease's chunk.
  private mutating func answer(
    _ token: Int, at place: Int, _ change: (inout ModelWorker) -> Void
  ) {
    for worker in workers.indices
    where workers[worker].lease?.token == token && workers[worker].recipient == place {
      change(&workers[worker])
    }
  }

  /// Lets a lease expire. The workers of all others send heartbeats in time.
  ///
  /// - Returns: the changes to write.
  private mutating func expire(_ token: Int, at place: Int) -> [LedgerContents.Change]? {
    guard var process = coordinators[place].process else { return nil }
    let others = process.view?.leases.filter { $0.token != token } ?? []
    var actions: [Action] = []
    for _ in 0..<2 {
      actions += process.handle(.timePassed, after: settings.leaseDuration / 2)
      for other in others {
        actions += process.handle(.heartbeat(LeaseToken(other.token), framesRendered: 0))
      }
    }
    coordinators[place].process = process
    return actions.compactMap(LedgerContents.Change.init)
  }

  /// Completes the job, or has a missing chunk rendered again.
  private mutating func finish(_ place: Int) {
    guard let process = coordinators[place].process else { return }
    if let missing = Self.segments.first(where: { !isStored($0, for: process) }) {
      dispatch(.chunkForgotten(SegmentID(job: Self.job, index: missing)), at: place)
    } else if write([.advance(.completed)], by: place) {
      landmarks.insert(.jobCompleted)
      dispatch(.jobRemoved(Self.job), at: place)
      condemn(at: place)
    }
  }
}

extension LedgerContents.Change {
  /// The change that an action makes; `nil` if it changes nothing.
  fileprivate init?(_ action: Action) {
    switch action {
    case .grant(_, let grant): self = .begin(ModelLease(grant))
    // The acceptance has already been recorded.
    case .endAttempt(_, .completed): return nil
    case .endAttempt(let grant, _): self = .end(ModelLease(grant))
    case .fixFingerprint(_, let fingerprint): self = .fixFingerprint(fingerprint)
    case .finishRendering: self = .advance(.assembling)
    case .forgetChunk(let segment): self = .drop(segment: segment.index)
    default: return nil
    }
  }
}
