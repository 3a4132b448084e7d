import Scheduling

/// A host on which a coordinator may run. Its data directory is a copy of the other host's.
struct ModelCoordinator: Sendable {
  /// The process that runs; `nil` if none does.
  var process: Process?
  /// The tokens of the claims that processes made here and that the ledger may still have. The directory's lock shows
  /// that earlier processes have ended, so the next one need not wait for these claims to expire.
  var claims: [Int] = []

  /// A running process.
  struct Process: Sendable {
    let claim: Claim
    /// The number of the last commit that it knows.
    var commits: Int
    /// `nil` until it has read the ledger.
    private(set) var scheduler: Scheduler?
    /// The observable part of its scheduler; `nil` until it has read the ledger.
    private(set) var view: SchedulerView?
    private(set) var now = Instant(.zero)
    /// The tokens of the leases whose chunks it has stored and has not accepted yet.
    var deliveries: [Int] = []
    /// The segments whose chunks it is about to remove from the store, because the ledger did not need them.
    var condemned: Set<Int> = []
    /// The changes that it could not write when the ledger did not answer. They are written with the next ones.
    var unwritten: [LedgerContents.Change] = []
    /// The number of attempts that it knows, for tokens that are not random.
    var attempts = 0

    init(_ claim: Claim, knowing commits: Int) { (self.claim, self.commits) = (claim, commits) }
  }
}

extension ModelCoordinator.Process {
  /// Creates the scheduler.
  mutating func begin(_ settings: SchedulerSettings) {
    scheduler = Scheduler(settings: settings)
    view = scheduler.map(SchedulerView.init)
  }

  /// Lets the scheduler handle an event, after some time.
  mutating func handle(_ event: Event, after time: Duration = .zero) -> [Action] {
    now = now + time
    let actions = scheduler?.handle(event, at: now) ?? []
    view = scheduler.map(SchedulerView.init)
    return actions
  }

  /// The lease with a token, if it is in force.
  func lease(under token: Int) -> ModelLease? { view?.leases.first { $0.token == token } }

  /// Whether it knows the segments and leases that a ledger has after its unwritten changes.
  func knows(_ contents: LedgerContents) -> Bool {
    guard let view else { return true }
    if unwritten.isEmpty { return view.matches(contents) }
    var contents = contents
    for change in unwritten { _ = contents.apply(change) }
    return view.matches(contents)
  }

  /// Whether it knows a chunk of every segment of the job.
  var hasAllChunks: Bool { view?.segments?.allSatisfy { $0 == .completed } == true }
}

/// The observable part of a scheduler that has at most one job.
struct SchedulerView: Hashable, Sendable {
  /// The states of the segments, as the ledger has them; `nil` without a job.
  let segments: [LedgerContents.Segment.State]?
  /// The leases in force, in the order of their segments.
  let leases: [ModelLease]
  /// The fingerprint of the job.
  let fingerprint: String?

  init(_ scheduler: Scheduler) {
    let states = scheduler.segmentStates(of: TwoCoordinators.job)
    segments = states.isEmpty ? nil : states.map { LedgerContents.Segment.State($0.state) }
    leases = states.indices.flatMap { index in
      scheduler.runningAttempts(at: SegmentID(job: TwoCoordinators.job, index: index)).map {
        ModelLease($0.grant)
      }
    }
    fingerprint = scheduler.fingerprint(of: TwoCoordinators.job)
  }

  /// Whether the segments and leases are those in the ledger.
  func matches(_ contents: LedgerContents) -> Bool {
    guard let segments else { return contents.job == .completed }
    return contents.segments.map(\.state) == segments
      && contents.segments.indices.flatMap(contents.runningAttempts) == leases
  }
}

extension LedgerContents.Segment.State {
  fileprivate init(_ state: ScheduledSegment.State) {
    self =
      switch state {
      case .pending: .pending
      case .leased: .leased
      case .completed, .reused: .completed
      }
  }
}

/// A worker. It renders one segment at a time, and a coordinator that it asked may answer it later or never.
struct ModelWorker: Hashable, Sendable {
  /// The lease that it renders, or whose chunk it delivers.
  var lease: ModelLease?
  /// The index of the coordinator whose answer about its chunk it waits for.
  var recipient: Int?
}
