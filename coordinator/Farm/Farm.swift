import Crypto
import FarmAPI
import Foundation
import Preparation
import Scheduling
import Synchronization
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
  let mixStore: MixStore
  let assetStore: AssetStore
  let space: DiskSpace
  let documents: DocumentStore
  /// The finished files in transit to clients.
  nonisolated let outputDownloads = OutputDownloads()
  let ledger: any FarmLedger
  private var writer: LedgerWriter
  /// The limits of newly submitted jobs.
  let jobLimits: JobLimits
  /// The quota of a submitter's assets, in bytes.
  let assetQuota: Int64
  /// The maximum number of a submitter's unfinished jobs.
  let jobsPerSubmitter: Int
  let reuse: ChunkReuse
  /// Where notifications may go.
  let notifications: NotificationSettings
  /// Wakes the notifier when there are notifications to deliver.
  nonisolated let notifierWakeups: AsyncStream<Void>
  nonisolated let wakeNotifier: AsyncStream<Void>.Continuation
  /// The share of delivered chunks that are compared with another worker's, from 0 to 1.
  let auditShare: Double
  var scheduler: Scheduler
  var jobs: [JobID: LiveJob] = [:]
  var waiters = LeaseWaiters()
  /// The room for the segments of jobs that are being rendered.
  var segmentRoom: SegmentRoom
  /// The runs that are waiting for that room.
  var segmentWaiters: [JobID: CheckedContinuation<Void, Never>] = [:]
  var counters = Counters()
  var attemptNotes = AttemptNotes()
  /// The frames that workers render.
  var renderMeter = RenderMeter()
  /// The farm's load since the start, for charts.
  var loadHistory: LoadHistory
  /// When the farm was created.
  let startedAt: Date
  var meters = FarmMeters()
  /// The hosts of workers that registered since the start, for the log.
  var workerHosts: [WorkerID: String] = [:]
  var feed = EventFeed()
  /// Notifies watchers of changes after a while.
  var publisher: Task<Void, Never>?
  /// When watchers were last notified.
  var lastPublication: Instant?
  /// The check for `/readyz` that is under way.
  private nonisolated let readiness = Mutex<Task<String?, Never>?>(nil)
  /// The reason why not all events could be sent the last time; `nil` if they could.
  var eventProblem: String?
  /// The first waiting jobs in the order that watchers know.
  var announcedJobs: [JobID] = []
  /// The places of the waiting jobs; `nil` if an event has happened since they were determined.
  var waitingPlaces: [JobID: Int]?
  /// The runs to start, in order. The stream ends when the farm stops.
  nonisolated let runRequests: AsyncStream<RunRequest>
  let requestRun: AsyncStream<RunRequest>.Continuation
  var lastRun: UInt64 = 0
  /// The names of the damaged assets that the statuses of jobs show.
  var damagedNames: [JobID: [Digest: String]] = [:]
  /// The assets to which chunks refer, of the plan for which they were last looked up.
  var copiedAssets: (job: JobID, plan: Digest, assets: [Digest: PlanFacts.CopiedAsset])?
  var isStopping = false
  /// The number of snapshots of the ledger that are being read, and the calls that wait for them to end.
  var openSnapshots = 0
  var snapshotWaiters: [CheckedContinuation<Void, Never>] = []
  /// The assets that are being checked because a reader got damaged bytes.
  var assetsUnderInspection: Set<Digest> = []
  /// The assets among them that are waiting for their turn.
  var assetsToInspect: [AssetReference] = []
  /// Limits inspections to one asset at a time, whoever reported the damage.
  let inspections = Gate(1)
  /// The reason why the coordinator cannot continue; at most one reason.
  nonisolated let breakdowns: AsyncStream<String>
  private let breakdown: AsyncStream<String>.Continuation
  private var timer: Task<Void, Never>?
  private var timerInstant: Instant?

  init(
    ledger: sending any FarmLedger, chunks: ChunkStore, mixes: MixStore, assets: AssetStore,
    space: DiskSpace,
    documents: DocumentStore,
    settings: SchedulerSettings, clock: FarmClock, log: Log,
    limits: Limits, keepsChunks: Bool, reuse: StorageSettings.Reuse, auditShare: Double,
    notifications: NotificationSettings
  ) {
    self.clock = clock
    self.log = log
    jobLimits = JobLimits(limits)
    segmentRoom = SegmentRoom(limit: limits.segments)
    jobsPerSubmitter = limits.jobsPerSubmitter
    assetQuota = Int64(limits.assetBytesPerSubmitter)
    self.auditShare = auditShare
    self.notifications = notifications
    (notifierWakeups, wakeNotifier) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    chunkStore = chunks
    mixStore = mixes
    assetStore = assets
    self.space = space
    self.documents = documents
    self.ledger = ledger
    writer = LedgerWriter(ledger, log: log)
    self.reuse = ChunkReuse(
      ledger: ledger, store: chunks, keepsChunks: keepsChunks, audience: reuse)
    scheduler = Scheduler(settings: settings)
    loadHistory = LoadHistory(from: clock.now())
    startedAt = clock.date()
    (breakdowns, breakdown) = AsyncStream.makeStream()
    (runRequests, requestRun) = AsyncStream.makeStream()
    guard let losses = ledger.losses else { return }
    Task { [breakdown] in
      for await reason in losses { breakdown.yield(reason) }
    }
  }

  /// Handles an event: decides, records, notifies.
  @discardableResult
  func dispatch(_ event: Event) -> [Action] {
    let now = clock.now()
    recordLoad(at: now)
    waitingPlaces = nil
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
      let changes = announced(actions.flatMap(transitions))
      do {
        try record(changes)
        actions.forEach(tell)
        return
      } catch {
        writer.keep(changes)
        actions = retract(actions)
      }
    }
  }

  /// Writes transitions and the notifications of jobs that they end, after those that could not be written earlier.
  func write(_ transitions: [Transition]) throws { try record(announced(transitions)) }

  private func record(_ transitions: [Transition]) throws {
    let outcome = writer.write(transitions)
    outcome.consequences.forEach(carryOut)
    if let error = outcome.error { throw error }
    if transitions.contains(where: \.isNotification) { wakeNotifier.yield() }
  }

  private func carryOut(_ consequence: LedgerWriter.Consequence) {
    switch consequence {
    case .endJob(let job, let error): endRefused(job, error)
    case .breakDown(let reason): breakDown(reason)
    }
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

  /// Like ``checkReadiness()``, but does not wait long for a farm that waits for its ledger.
  nonisolated func checkReadiness(within limit: Duration) async -> String? {
    let (answers, answer) = AsyncStream<String?>.makeStream()
    // The calls of balancers do not queue up behind a farm that waits for its ledger.
    let check = readiness.withLock { running in
      let check = running ?? Task { await checkReadiness() }
      running = check
      return check
    }
    let timer = Task {
      try? await Task.sleep(for: limit)
      answer.yield("the ledger does not answer within \(limit.components.seconds) s")
    }
    defer { timer.cancel() }
    Task {
      answer.yield(await check.value)
      readiness.withLock { if $0 == check { $0 = nil } }
    }
    return await answers.first { _ in true } ?? nil
  }

  /// The reason why the ledger accepted no transitions when they were last written; `nil` if it did.
  var ledgerProblem: String? { writer.problem }

  /// The reason why the ledger cannot be written at the moment; `nil` if it can. Tries again if the last write failed.
  func checkLedger() -> String? {
    writer.tryAgain().forEach(carryOut)
    return writer.problem
  }

  /// Writes a transition now, or with the next one if the ledger's disk fails.
  func writeLater(_ transition: Transition) {
    let changes = announced([transition])
    do { try record(changes) } catch { writer.keep(changes) }
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
    waiters.answer(request, .unavailable)
    return scheduler.handle(.leaseGivenBack(grant.token), at: clock.now())
  }

  private func transitions(_ action: Action) -> [Transition] {
    switch action {
    case .grant(_, let grant): [.attemptBegan(grant, at: clock.date())]
    case .endAttempt(let grant, let outcome): transitions(grant, outcome)
    case .fixFingerprint(let job, let fingerprint): [.fingerprintFixed(job, fingerprint)]
    case .finishRendering(let job):
      // More segments follow if the job follows a recording that has not ended.
      jobs[job]?.facts?.isProvisional != true ? [.jobAdvanced(job, .assembling)] : []
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
    log.error(
      "the coordinator was suspended for \(length.components.seconds) s: keeping all leases")
    perform(scheduler.handle(.stalled(length), at: now))
  }

  /// Sets the timer for the next deadline, unless it already fires earlier.
  private func setTimer() {
    guard let next = scheduler.nextDeadline, !isStopping else { return }
    if let timerInstant, timerInstant <= next { return }
    timer?.cancel()
    timerInstant = next
    timer = Task(priority: .urgent) { [weak self, clock] in
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

  /// Ends every wait and stream, and cancels every run. Call ``close()`` when the runs have ended.
  func stop() {
    isStopping = true
    timer?.cancel()
    publisher?.cancel()
    waiters.end()
    feed.end()
    wakeNotifier.finish()
    requestRun.finish()
    for job in jobs.values { job.run?.task?.cancel() }
  }

  /// Closes the ledger, which keeps the state for the next start.
  func close() async {
    await waitForSnapshots()
    ledger.close()
  }
}

extension Transition {
  /// Whether it queues a notification.
  fileprivate var isNotification: Bool {
    if case .notificationQueued = self { true } else { false }
  }
}

extension Action {
  /// Whether it grants a lease.
  fileprivate var isGrant: Bool {
    if case .grant = self { true } else { false }
  }
}
