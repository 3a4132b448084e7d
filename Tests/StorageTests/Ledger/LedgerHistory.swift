import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Recording
import Scheduling
import Support
import Timeline
import sheaf_coordinator

/// A random history of a farm, whose every step can be applied to several ledgers.
struct LedgerHistory {
  private typealias Scene = LedgerScene

  /// A step of the history.
  typealias Step = @Sendable (any FarmLedger) throws -> Void

  private var random: SeededRandom
  private var time = 100.0
  private var attempts = 0
  private var grants: [Grant] = []
  private var notifications = 0
  private let jobs = (0..<4).map { JobID(rawValue: "job \($0)") }
  private let workers = (0..<3).map { number in
    WorkerEntry(
      id: WorkerID(rawValue: "worker \(number)"), name: "rack \(number / 2)", slots: 1 + number,
      fingerprint: Scene.fingerprint, token: number == 0 ? nil : "token \(number)")
  }
  private static let segments = 3

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func segment() -> SegmentID {
    SegmentID(job: pick(jobs), index: number(0..<Self.segments))
  }

  private mutating func chunk() -> String { "chunk \(number(0..<5))" }

  private mutating func kept() -> KeptChunk {
    Scene.kept(chunk(), under: "key \(number(0..<4))")
  }

  private mutating func delivered() throws -> DeliveredChunk {
    let parts = (0..<number(0..<3)).map { part in
      Concealment(
        asset: Scene.digest("a.mp4"), time: RationalTime(Int64(part)), frames: part..<part + 1)
    }
    return try Scene.chunk(Scene.digest(chunk()), concealing: parts)
  }

  /// The next step.
  mutating func next() throws -> Step {
    time += Double(number(1..<4))
    switch number(0..<20) {
    case 0, 1: return try opening()
    case 2, 3, 4: return begun()
    case 5...13:
      let changes = try (0..<number(1..<3)).map { _ in try change() }
      return { try $0.write(changes) }
    case 14, 15: return try jobChange()
    case 16: return try upkeep()
    case 17: return try recordingChange()
    default: return try planChange()
    }
  }

  private mutating func opening() throws -> Step {
    let (job, worker, date) = (pick(jobs), pick(workers), Scene.date(time))
    switch number(0..<3) {
    case 0: return { try $0.write([.workerRegistered(worker)]) }
    case 1:
      let submitter = pick(["ada", nil])
      return { ledger in
        let scene = Scene(ledger, in: try TemporaryDirectory())
        try scene.plan(job.rawValue, segments: Self.segments, by: submitter)
      }
    default:
      return { try $0.write([.workerDistrusted(worker.identity, "it differs", at: date)]) }
    }
  }

  private mutating func begun() -> Step {
    attempts += 1
    let grant = Grant(
      token: LeaseToken(rawValue: "lease \(attempts)"), worker: pick(workers).id,
      segment: segment(), attempt: attempts)
    grants = grants.suffix(6) + [grant]
    let date = Scene.date(time)
    return { try $0.write([.attemptBegan(grant, at: date)]) }
  }

  /// A change of segments, chunks or workers.
  private mutating func change() throws -> Transition {
    let date = Scene.date(time)
    let (segment, worker) = (segment(), pick(workers))
    let report = FailureReport(code: .missingAsset, message: "no file", isPermanent: false)
    if let grant = grants.randomElement(using: &random), number(0..<3) > 0 {
      let deliverer = Scene.deliverer(workers.first { $0.id == grant.worker } ?? worker)
      switch number(0..<6) {
      case 0:
        let outcome: AttemptOutcome = pick([
          .expired, .failed(report), .givenBack, .stuck(report), .superseded,
        ])
        return .attemptEnded(grant, outcome, framesRendered: pick([nil, 4]), at: date)
      case 1: return .attemptLogged(grant, "ä log at \(time)")
      case 2: return .chunkHeld(grant, try delivered(), by: deliverer, at: date)
      default: return .chunkAccepted(grant, try delivered(), by: deliverer, at: date)
      }
    }
    switch number(0..<14) {
    case 0: return .chunkConfirmed(segment, Scene.digest(chunk()))
    case 1: return .heldChunksDropped(segment)
    case 2: return .heldChunkDropped(segment, by: worker.id)
    case 3: return .chunkReused(segment, kept(), at: date)
    case 4, 5: return .chunkKept(segment, kept(), at: date)
    case 6: return .keptChunksForgotten([kept().key.description])
    case 7: return .chunkDropped(segment)
    case 8:
      let failed = FailedAttempt(worker: worker.id, workerName: worker.name, report: report)
      return .chunkRefused(segment, pick([nil, failed]))
    case 9: return .segmentGivenUp(segment)
    case 10: return .fingerprintFixed(segment.job, pick([nil, Scene.fingerprint]))
    case 11: return .workerDrained(worker.id)
    case 12: return .workerResumed(worker)
    default: return .workerForgotten(worker.id)
    }
  }

  private mutating func jobChange() throws -> Step {
    let (job, date) = (pick(jobs), Scene.date(time))
    let failure = JobFailure(code: .missingAsset, message: "a.mp4 is missing")
    let change: Transition
    switch number(0..<15) {
    case 0: change = .jobAdvanced(job, pick([.rendering, .assembling, .planning]))
    case 1: change = .jobPrioritized(job, number(-2..<3))
    case 2: change = .jobDeleted(job)
    case 3: change = .soundMixed(job, nil, concealing: try delivered().concealments)
    case 4: change = .jobFailed(job, failure, at: date)
    case 5: change = .jobCancelled(job, at: date)
    case 6, 7: change = .jobCompleted(job, Scene.output, at: date)
    case 8: change = .outputLost(job, failure, at: date)
    case 9: change = .outputRecovered(job, Scene.output.sha256)
    case 10: change = .lostOutputForgotten(job)
    case 11: change = .jobRetried(job)
    case 12: change = .jobRestarted(job)
    case 13: return try notification(job, date)
    default:
      change = .outputDeleted(
        job, OutputDeletion(fileName: "a.mp4", byteCount: 4, deletedAt: date, reason: "old"))
    }
    return { try $0.write([change]) }
  }

  private mutating func notification(_ job: JobID, _ date: Date) throws -> Step {
    notifications += 1
    guard let receiver = Receiver(pick(["mailto:a@example.org", "https://b.example.org/x"])) else {
      throw CocoaError(.formatting)
    }
    let queued = StoredNotification(
      id: "note \(notifications)", job: job, event: pick([.progress, .cancelled, .completed]),
      percent: pick([nil, 50]), receiver: receiver, body: Data("{}".utf8), createdAt: date)
    let tried = "note \(number(1..<notifications + 1))"
    let outcome = NotificationOutcome(
      pick([.delivered(at: date), .postponed(until: date + 9), .gaveUp(at: date)]),
      status: pick([nil, 500]), error: pick([nil, "no answer"]))
    return { try $0.write([.notificationQueued(queued), .notificationTried(tried, outcome)]) }
  }

  private mutating func upkeep() throws -> Step {
    let (asset, owner, job) = (
      Scene.digest("asset \(number(0..<3))"), pick(["ada", "bob"]), pick(jobs)
    )
    let (size, date) = (Int64(number(1..<99)), Scene.date(time))
    let chunk = Scene.digest(chunk())
    let reference = AssetReference(digest: asset, byteCount: size)
    switch number(0..<9) {
    case 0: return { try $0.own(asset, size, by: owner) }
    case 1: return { try $0.disown(asset) }
    case 2: return { try $0.keep(reference, fetchedFrom: "https://a/b", for: job, of: owner) }
    case 3:
      return { try $0.keep([LeasedAsset(reference, blocks: chunk)], leasedFor: job) }
    case 4: return { try $0.dropLeasedAssets(of: job) }
    case 5: return { _ = try $0.dropUnneededDeliveries(after: 0) }
    case 6: return { _ = try $0.dropKeptChunks(unusedSince: date - 20) }
    case 7: return { try $0.forget([chunk]) }
    default: return { _ = try $0.dropConcealments(after: "") { _ in true } }
    }
  }

  private mutating func planChange() throws -> Step {
    let (job, count) = (pick(jobs), number(1..<Self.segments + 1))
    let other = pick(jobs).rawValue
    switch number(0..<4) {
    case 0: return { try $0.dropPlan(of: job) }
    case 1: return { _ = try $0.countPlanning(of: job) }
    case 2: return { try $0.uncountPlanning(of: job) }
    default:
      return { ledger in
        // Segments of another plan have other contents.
        try ledger.replacePlan(
          by: Scene.plan(other, segments: count),
          (0..<count).map { Scene.segment($0, of: $0 == 0 ? job.rawValue : other) }, of: job)
      }
    }
  }

  private mutating func recordingChange() throws -> Step {
    let id = pick(["a", "b"])
    let submission = RecordingSubmission(
      name: "camera", source: RecordingSource(.udp, host: "239.1.2.3", port: 5000),
      length: RationalTime(90))
    let change: RecordingChange
    switch number(0..<5) {
    case 0:
      change = .accepted(
        submission, by: pick(["ada", nil]), key: pick([nil, id]), at: Scene.date(time))
    case 1: change = .streamIgnored("stream \(number(1..<3))")
    case 2: change = .finishing(pick([nil, JobFailure(code: .missingAsset, message: "gone")]))
    case 3: change = .ended([Scene.output], nil, at: Scene.date(time))
    default: change = .deleted
    }
    return { try $0.write([.recording(id, change)]) }
  }

  /// Everything that a ledger answers, one line each.
  func answers(of ledger: any FarmLedger) throws -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ answer: @autoclosure () throws -> Any) throws {
      lines.append("\(name): \(try answer())")
    }
    for job in jobs {
      guard let row = try ledger.job(job) else {
        lines.append("\(job): none")
        continue
      }
      try add("row", (row.fingerprint, row.status, row.lostOutput, row.hasRecord))
      try add(
        "progress", (row.finalProgress, ledger.progress(of: job), ledger.reusedCount(of: job)))
      try add("segments", ledger.segments(of: job, after: nil, limit: 99))
      try add("attempts", ledger.attempts(of: job, after: 0, limit: 99, withLogs: true))
      try add("entries", ledger.entries(of: job))
      try add("chunks", ledger.chunks(of: job).sorted { $0.key < $1.key })
      try add("disposable", ledger.disposableChunks(of: job).map(\.description).sorted())
      try add("plan", ledger.planSegments(of: job, after: nil, limit: 99))
      try add("table", (ledger.tableDigest(of: job), ledger.plan(of: job)?.hash))
      try add("kinds", (ledger.segmentKinds(of: job)?.main, ledger.drawing(of: job)?.strip))
      try add("concealed", ledger.concealments(of: job, after: 0, limit: 9).parts())
      try add("first", ledger.firstConcealments(of: job).parts())
      try add("count", ledger.concealedCounts(of: [job]))
      try add("assets", ledger.submittedAssets(of: job).map(\.description).sorted())
      try add("fetched", ledger.fetchedAssets(of: job))
      try add("leased", ledger.leasedBlocks(of: job).map { "\($0)" }.sorted())
      try add("trusted", ledger.isTrusted(lostOutputOf: row))
      try add("notifications", ledger.notifications(of: job))
    }
    try add("jobs", ledger.jobs(of: nil, before: nil, limit: nil).map(\.id))
    try add("recent", (ledger.recentJobs(of: "ada", last: 2), ledger.recentJobs(of: nil, last: 1)))
    try add("ended", ledger.endedJobs(before: Scene.date(time), withOutput: false))
    try add("workers", ledger.workers())
    try add("distrusted", ledger.distrustedWorkers())
    for number in 0..<5 {
      let chunk = Scene.digest("chunk \(number)")
      // The numbers of jobs order them. PostgreSQL leaves one out if an insertion fails.
      let uses = try ledger.uses(of: chunk).map { use in
        if case .job(number: _, let state, let endedAt) = use {
          "\(state) \(endedAt ?? 0)"
        } else {
          "\(use)"
        }
      }
      try add("chunk", (uses, ledger.holds(of: chunk)))
    }
    let keys = (0..<4).map { Scene.digest("key \($0)") }
    for audience in [ReuseAudience.anyone, .submitter("ada"), .submitter(nil)] {
      try add("kept", ledger.keptChunks(under: keys, for: audience).map { "\($0)" }.sorted())
    }
    try add("spare", ledger.spareChunks().map(\.description).sorted())
    try add("needed", ledger.neededChunks().map(\.description).sorted())
    try add("keep", ledger.chunksToKeep(since: Scene.date(0), 12).map(\.description).sorted())
    try add("due", ledger.dueNotifications(at: Scene.date(time), without: ["mail"], limit: 9))
    try add("owned", (ledger.assetByteCount(of: "ada"), ledger.assetCount(of: "bob")))
    try add("recordings", ledger.recordings(of: nil))
    return lines
  }
}
