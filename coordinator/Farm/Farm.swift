import Crypto
import FarmAPI
import Foundation
import Preparation
import SQLite
import Scheduling
import Threads

/// The farm's state: the scheduler and the ledger, changed together.
///
/// It runs on its own thread, because the ledger blocks on the disk. Every event goes through ``dispatch(_:)``: the
/// scheduler decides, the ledger records the decision in one transaction, and only then is anyone notified.
actor Farm {
  private let executor = ThreadExecutor(name: "farm")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let clock: FarmClock
  let log: Log
  let chunkStore: ChunkStore
  let assetStore: AssetStore
  let space: DiskSpace
  let documents: DocumentStore
  let ledger: Ledger
  /// The limits of newly submitted jobs.
  let jobLimits: JobLimits
  /// The quota of a submitter's assets, in bytes.
  let assetQuota: Int64
  /// The maximum number of a submitter's unfinished jobs.
  let jobsPerSubmitter: Int
  /// Whether accepted chunks are kept for later jobs.
  let keepsChunks: Bool
  /// Which submitters' chunks a job may reuse.
  let reuse: StorageSettings.Reuse
  /// The share of delivered chunks that are compared with another worker's, from 0 to 1.
  let auditShare: Double
  var scheduler: Scheduler
  var jobs: [JobID: LiveJob] = [:]
  var waiters: [RequestID: LeaseWaiter] = [:]
  /// The room for the segments of jobs that are being rendered.
  var segmentRoom: SegmentRoom
  /// The runs that are waiting for that room.
  var segmentWaiters: [JobID: CheckedContinuation<Void, Never>] = [:]
  var lastRequest: UInt64 = 0
  var counters = Counters()
  var subscribers: [UInt64: Subscriber] = [:]
  var lastSubscriber: UInt64 = 0
  var changedJobs: Set<JobID> = []
  var changedWorkers: Set<WorkerID> = []
  var publisher: Task<Void, Never>?
  /// The number of events in the last notification of watchers.
  var lastPublished = 0
  /// Drives a job from stage to stage. Set once at the start.
  var drive: (@Sendable (JobID) async -> Void)?
  var lastRun: UInt64 = 0
  /// The names of the damaged assets that the statuses of jobs show.
  var damagedNames: [JobID: [Digest: String]] = [:]
  /// Runs of jobs that have ended, which may still be cleaning up.
  var endingRuns: [JobID: Run] = [:]
  var isStopping = false
  /// The number of snapshots of the ledger that are being read, and the calls that wait for them to end.
  var openSnapshots = 0
  var snapshotWaiters: [CheckedContinuation<Void, Never>] = []
  /// Runs between two slices of a long piece of work; see ``letOthersIn()``.
  var betweenSlices: (@Sendable () async -> Void)?
  /// Transitions that the ledger has not recorded yet, because its disk failed.
  private var unwritten: [Transition] = []
  /// The number of times in a row that the ledger has refused a transition for a reason that is neither passing nor
  /// final.
  private var refusals = 0
  private static let refusalLimit = 10
  /// The assets that are being checked because a reader got damaged bytes.
  var assetsUnderInspection: Set<Digest> = []
  /// The assets among them that are waiting for their turn.
  var assetsToInspect: [AssetReference] = []
  /// Limits inspections to one asset at a time, whoever reported the damage.
  let inspections = Gate(1)
  /// The reason why the coordinator cannot continue; at most one reason.
  nonisolated let breakdowns: AsyncStream<String>
  private let breakdown: AsyncStream<String>.Continuation
  /// The reason why the ledger accepts no transitions.
  private(set) var ledgerProblem: String?
  private var timer: Task<Void, Never>?
  private var timerInstant: Instant?

  /// Opens the ledger. Blocks briefly; call it before the farm serves anyone.
  init(
    ledger location: Database.Location, chunks: ChunkStore, assets: AssetStore, space: DiskSpace,
    documents: DocumentStore,
    settings: SchedulerSettings, clock: FarmClock, log: Log,
    limits: Limits, keepsChunks: Bool, reuse: StorageSettings.Reuse, auditShare: Double
  ) throws {
    self.clock = clock
    self.log = log
    jobLimits = JobLimits(limits)
    segmentRoom = SegmentRoom(limit: limits.segments)
    jobsPerSubmitter = limits.jobsPerSubmitter
    assetQuota = Int64(limits.assetBytesPerSubmitter)
    self.keepsChunks = keepsChunks
    self.reuse = reuse
    self.auditShare = auditShare
    chunkStore = chunks
    assetStore = assets
    self.space = space
    self.documents = documents
    ledger = try Ledger(location)
    scheduler = Scheduler(settings: settings)
    (breakdowns, breakdown) = AsyncStream.makeStream()
  }

  /// Handles an event: decides, records, notifies.
  @discardableResult
  func dispatch(_ event: Event) -> [Action] {
    let now = clock.now()
    allowForStall(at: now)
    let actions = scheduler.handle(event, at: now)
    perform(actions)
    setTimer()
    return actions
  }

  private func perform(_ actions: [Action]) {
    var actions = actions
    while !actions.isEmpty {
      actions = withholdGrants(actions)
      do {
        try write(actions.flatMap(transitions))
        actions.forEach(tell)
        return
      } catch {
        unwritten += actions.flatMap(transitions)
        actions = retract(actions)
      }
    }
  }

  /// Writes transitions, after those that could not be written earlier.
  func write(_ transitions: [Transition]) throws {
    while true {
      let all = unwritten + transitions
      // An empty write proves nothing about the disk.
      guard !all.isEmpty else { return }
      do {
        try ledger.write(all)
        unwritten = []
        refusals = 0
        if ledgerProblem != nil { log.info("the ledger can be written again") }
        ledgerProblem = nil
        return
      } catch {
        // Logged once, not for each of a thousand workers' requests.
        if ledgerProblem != "\(error)" { log.error("the ledger cannot be written: \(error)") }
        ledgerProblem = "\(error)"
        // Changes that fail because of the disk are retried; a change that is itself invalid must not block the others.
        guard setRefusedAside(error) else { throw error }
      }
    }
  }

  /// Removes a waiting transition that the ledger will never accept, and ends its job.
  ///
  /// - Returns: whether there was one, so that the rest is worth another try.
  private func setRefusedAside(_ error: any Error) -> Bool {
    if let error = error as? SQLiteError, error.isDamage { breakDown("\(error)") }
    guard let error = error as? TransitionError else { return false }
    if error.cause.isDamage { breakDown("\(error)") }
    guard error.index < unwritten.count, !error.cause.isPassing else { return false }
    if !error.cause.isFinal {
      refusals += 1
      guard refusals >= Self.refusalLimit else { return false }
    }
    refusals = 0
    let refused = unwritten.remove(at: error.index)
    guard let job = refused.job else {
      log.error("the ledger rejected a change, which is skipped: \(refused): \(error)")
      return true
    }
    if case .jobFailed = refused {
      breakDown("the ledger refuses the end of job \(job): \(error)")
      return true
    }
    unwritten.removeAll { $0.job == job }
    endRefused(job, error)
    return true
  }

  /// Fails a job because the ledger rejected a change of its state.
  func endRefused(_ job: JobID, _ error: TransitionError) {
    let failure = JobFailure(
      code: .ledger, message: "the ledger rejected a change of the job's state: \(error)")
    Task { fail(job, failure) }
  }

  /// Reports that the coordinator cannot continue.
  private func breakDown(_ reason: String) {
    breakdown.yield(reason)
    breakdown.finish()
  }

  /// The reason why the farm accepts no new work at the moment; `nil` if it does.
  func checkReadiness() -> String? {
    makeRoom()
    return checkLedger().map { "the ledger cannot be written: \($0)" } ?? space.shortage()?.message
  }

  /// The reason why the ledger cannot be written at the moment; `nil` if it can. Tries again if the last write failed.
  func checkLedger() -> String? {
    guard ledgerProblem != nil else { return nil }
    do {
      try write([])
      try ledger.probe()
      ledgerProblem = nil
    } catch {
      ledgerProblem = "\(error)"
    }
    return ledgerProblem
  }

  /// Writes a transition now, or with the next one if the ledger's disk fails.
  func writeLater(_ transition: Transition) {
    do { try write([transition]) } catch { unwritten.append(transition) }
  }

  /// Takes back the grants that could not be recorded, and returns the actions that follow from that.
  private func retract(_ actions: [Action]) -> [Action] {
    var further: [Action] = []
    for action in actions {
      if case .grant(let request, let grant) = action {
        further += takeBack(grant, of: request)
      } else {
        tell(action)
      }
    }
    return further
  }

  /// Takes back every grant if there is no room for new work. The workers that were waiting learn that the coordinator
  /// is unavailable.
  private func withholdGrants(_ actions: [Action]) -> [Action] {
    var actions = actions
    while actions.contains(where: \.isGrant), space.shortage() != nil {
      actions = actions.flatMap { action in
        if case .grant(let request, let grant) = action {
          takeBack(grant, of: request)
        } else {
          [action]
        }
      }
    }
    return actions
  }

  private func takeBack(_ grant: Grant, of request: RequestID) -> [Action] {
    waiters.removeValue(forKey: request)?.resume(returning: .unavailable)
    return scheduler.handle(.leaseGivenBack(grant.token), at: clock.now())
  }

  private func transitions(_ action: Action) -> [Transition] {
    switch action {
    case .grant(_, let grant): [.attemptBegan(grant)]
    case .endAttempt(let grant, let outcome):
      [.completed, .held].contains(outcome) ? [] : [.attemptEnded(grant, outcome)]
    case .fixFingerprint(let job, let fingerprint): [.fingerprintFixed(job, fingerprint)]
    case .finishRendering(let job): [.jobAdvanced(job, .assembling)]
    case .shareChunk(_, let segment):
      sharedChunk(of: segment).map { [.chunkReused(segment, $0, at: clock.date())] } ?? []
    case .dropChunk(let segment, let attempt): [.chunkRefused(segment, attempt)]
    case .forgetChunk(let segment): [.chunkDropped(segment)]
    case .restartJob(let job): [.jobRestarted(job)]
    case .failJob(let segment, let failure):
      [.segmentGivenUp(segment), .jobFailed(segment.job, failure, at: clock.date())]
    case .forgetWorker(let worker): [.workerForgotten(worker)]
    case .refuse, .setAside, .distrust, .forgive, .loseWorker, .answerHeartbeat, .rejectStale,
      .noteWaiting, .noteTooLarge, .reserve, .settleAudit:
      []
    }
  }

  /// Detects that the coordinator did not run when it should have, because it was stopped or its host slept.
  private func allowForStall(at now: Instant) {
    guard let timerInstant, now > timerInstant else { return }
    let length = now - timerInstant
    guard length > min(.seconds(5), scheduler.settings.leaseDuration / 2) else { return }
    self.timerInstant = nil
    log.error("the coordinator did not run for \(length.components.seconds) s: leases are kept")
    perform(scheduler.handle(.stalled(length), at: now))
  }

  /// Sets the timer for the next deadline, unless it already fires earlier.
  private func setTimer() {
    guard let next = scheduler.nextDeadline, !isStopping else { return }
    if let timerInstant, timerInstant <= next { return }
    timer?.cancel()
    timerInstant = next
    timer = Task { [weak self, clock] in
      await clock.sleep(next)
      guard !Task.isCancelled else { return }
      await self?.timerFired()
    }
  }

  private func timerFired() {
    // Measures the delay before the time at which the timer should have fired is forgotten.
    allowForStall(at: clock.now())
    timerInstant = nil
    dispatch(.timePassed)
  }

  /// Ends every wait, stream and run. The ledger keeps the state for the next start.
  func stop() async {
    isStopping = true
    timer?.cancel()
    publisher?.cancel()
    for (_, waiter) in waiters { waiter.resume(returning: .nothing) }
    waiters = [:]
    for (_, subscriber) in subscribers { subscriber.stream.finish() }
    subscribers = [:]
    let runs = jobs.values.compactMap(\.run) + endingRuns.values
    for run in runs { run.task.cancel() }
    for run in runs { await run.task.value }
    await waitForSnapshots()
    // Breaks a reference cycle: the closure refers to objects that refer to the farm.
    drive = nil
    ledger.close()
  }
}

extension SQLiteError {
  /// Whether the error may pass, because the disk or another process is in the way.
  var isPassing: Bool {
    [.busy, .full, .readOnly, .cannotOpen, .inputOutput].contains(code)
  }

  /// Whether every attempt fails in the same way.
  var isFinal: Bool { code == .constraint || code == .typeMismatch }

  /// Whether the file is damaged.
  var isDamage: Bool { code == .corrupt || code == .notADatabase }
}

extension Action {
  /// Whether it grants a lease.
  fileprivate var isGrant: Bool {
    if case .grant = self { true } else { false }
  }
}
