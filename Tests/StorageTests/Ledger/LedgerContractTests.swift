import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// Requirements for every ledger: jobs, plans, segments and transitions.
@Suite(.mayBlock) struct LedgerContractTests {
  private typealias Scene = LedgerScene

  @Test(arguments: LedgerKind.allCases)
  func `a job keeps everything that it was submitted with`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let key = SubmissionKey(
      key: try #require(IdempotencyKey("once")), body: Scene.digest("a body"))
    let job = try scene.insert(
      "a", by: "ada", priority: 3, under: key, rerenders: true, inOrder: true, at: 12.5)
    let row = try #require(try scene.row(job))
    #expect(row.number == 1 && row.fingerprint == nil && !row.hasRecord)
    #expect(row.status.name == "film a" && row.status.submitter == "ada")
    #expect(row.status.state == .queued && row.status.priority == 3)
    #expect(row.status.createdAt == Scene.date(12.5) && row.status.finishedAt == nil)
    #expect(try row.limits == JobLimits(Limits()))
    #expect(try ledger.rerenders(job) == true)
    #expect(try ledger.isInOrder(job))
    #expect(try !ledger.isInOrder(scene.insert("z")))
    let facts = try ledger.storedSubmission(of: job)?.facts()
    #expect(facts?.project == Scene.digest("project a"))
    let asset = Scene.digest("a.mp4")
    #expect(try ledger.assets(of: job).map(\.name) == ["a.mp4"])
    #expect(try ledger.names(asset, in: job))
    #expect(try !ledger.names(Scene.digest("b.mp4"), in: job))
    #expect(try ledger.submittedAssets(of: job) == [asset])
    let found = try #require(try ledger.job(under: key.key, by: "ada"))
    #expect(found.id == job && found.body == key.body)
    #expect(try ledger.job(under: key.key, by: nil) == nil)
    #expect(try ledger.job(JobID(rawValue: "b")) == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `jobs are listed by submitter, age and state`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let a = try scene.insert("a", by: "ada")
    let b = try scene.insert("b")
    let c = try scene.insert("c", by: "ada")
    try scene.write(.jobCancelled(b, at: Scene.date(100)))
    #expect(try ledger.jobs(of: nil, before: nil, limit: nil).map(\.id) == [c, b, a])
    #expect(try ledger.jobs(of: nil, before: nil, limit: 1).map(\.id) == [c])
    #expect(try ledger.jobs(of: nil, before: c, limit: nil).map(\.id) == [b, a])
    #expect(try ledger.jobs(of: "ada", before: c, limit: nil).map(\.id) == [a])
    #expect(try ledger.unfinishedJobs().map(\.id) == [a, c])
    #expect(try ledger.unfinishedJobCount(of: "ada") == 2)
    #expect(try ledger.unfinishedJobCount(of: nil) == 0)
    #expect(try ledger.jobCounts() == [.queued: 2, .cancelled: 1])
    #expect(try ledger.recentJobs(of: nil, last: 2) == [a, b, c])
    #expect(try ledger.recentJobs(of: nil, last: 1) == [a, c])
    #expect(try Set(ledger.jobsWithoutOutput()) == [a, b, c])
    let asset = Scene.digest("a.mp4")
    #expect(try ledger.submittedAssets(since: Scene.date(1000)) == [asset])
    try scene.write(.jobCancelled(a, at: Scene.date(100)), .jobCancelled(c, at: Scene.date(200)))
    #expect(try ledger.submittedAssets(since: Scene.date(200)) == [asset])
    #expect(try ledger.submittedAssets(since: Scene.date(201)) == [])
  }

  @Test(arguments: LedgerKind.allCases)
  func `transitions are written together or not at all`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let job = try scene.plan("a", segments: 1)
    let worker = WorkerEntry(
      id: WorkerID(rawValue: "w"), name: "rack", slots: 1, fingerprint: Scene.fingerprint)
    func grant(_ number: Int) -> Grant {
      Grant(
        token: LeaseToken(rawValue: "lease"), worker: worker.id,
        segment: SegmentID(job: job, index: number), attempt: 1)
    }
    let error = #expect(throws: TransitionError.self) {
      try scene.write(.workerRegistered(worker), .attemptBegan(grant(7), at: Scene.date(1)))
    }
    #expect(error?.index == 1 && error?.cause.code == .final)
    #expect(try scene.ledger.workers() == [])
    try scene.write(.workerRegistered(worker), .attemptBegan(grant(0), at: Scene.date(1)))
    let second = #expect(throws: TransitionError.self) {
      try scene.write(.jobAdvanced(job, .assembling), .workerRegistered(worker))
    }
    #expect(second?.index == 1 && second?.cause.code == .final)
    let third = #expect(throws: TransitionError.self) {
      try scene.write(.attemptBegan(grant(7), at: Scene.date(1)), .jobAdvanced(job, .assembling))
    }
    #expect(third?.index == 0 && third?.cause.code == .final)
    #expect(try scene.row(job)?.status.state == .rendering)
    #expect(try scene.ledger.workers() == [worker])
    try scene.ledger.probe()
  }

  @Test(arguments: LedgerKind.allCases)
  func `a plan is stored in parts and read back`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.insert("a")
    #expect(try ledger.countPlanning(of: job) == 1)
    #expect(try ledger.countPlanning(of: job) == 2)
    try ledger.uncountPlanning(of: job)
    #expect(try ledger.countPlanning(of: job) == 2)
    let planned = (0..<4).map { Scene.segment($0, of: "a") }
    try ledger.keep(Array(planned[..<2]), from: 0, of: job)
    try ledger.keep(Array(planned[2...]), from: 2, of: job)
    #expect(try ledger.plan(of: job) == nil)
    let plan = try Scene.plan("a", segments: 3)
    try ledger.keep(plan, of: job)
    #expect(try ledger.plan(of: job) == plan)
    #expect(try ledger.segmentCount(of: job) == 3)
    var table = TableDigest()
    for segment in planned[..<3] { table.add(segment) }
    #expect(try ledger.tableDigest(of: job) == table.digest)
    #expect(try ledger.contents(of: job).map(\.content.digest) == planned[..<3].map(\.content))
    #expect(try ledger.frameCounts(of: job) == [10, 10, 10])
    let second = SegmentID(job: job, index: 1)
    #expect(try ledger.planPart(of: second) == planned[1].part)
    #expect(try ledger.assets(of: second) == planned[1].assets)
    #expect(try ledger.content(of: second)?.digest == planned[1].content)
    #expect(try ledger.planPart(of: SegmentID(job: job, index: 3)) == nil)
    let row = try #require(try scene.row(job))
    #expect(row.status.planHash == plan.hash && row.status.frameCount == 30)
    #expect(row.status.frameDuration == 0.04)
    #expect(try ledger.submittedAssets(of: job).contains(Scene.digest("picture")))
    #expect(try ledger.documents().projects == [Scene.digest("project a")])
    #expect(try ledger.documents().plans == [plan.file])
    try ledger.dropPlan(of: job)
    #expect(try ledger.plan(of: job) == nil)
    #expect(try ledger.segmentCount(of: job) == 0)
    #expect(try scene.row(job)?.status.planHash == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a plan that replaces another keeps the state of segments with the same content`(
    kind: LedgerKind
  ) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 3)
    let worker = try scene.register("rack")
    for number in 0..<3 { _ = try scene.begin(number, of: job, by: worker) }
    var planned = (0..<5).map { Scene.segment($0, of: "a") }
    planned[1].content = Scene.digest("another")
    planned[2].part.offset += 7
    try ledger.replacePlan(by: Scene.plan("b", segments: 5), planned, of: job)
    #expect(try ledger.contents(of: job).map(\.content.digest) == planned.map(\.content))
    #expect(try ledger.planPart(of: SegmentID(job: job, index: 2)) == planned[2].part)
    let leased = try ledger.entries(of: job).map { entry in
      if case .leased = entry.state { true } else { false }
    }
    #expect(leased == [true, false, true, false, false])
    #expect(try ledger.plan(of: job)?.segmentCount == 5)
    try ledger.replacePlan(by: Scene.plan("c", segments: 1), Array(planned[..<1]), of: job)
    #expect(try ledger.segmentCount(of: job) == 1)
  }

  @Test(arguments: LedgerKind.allCases)
  func `leases, failures and expiries are kept for a restart`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 3)
    let worker = try scene.register("rack")
    let lease = try scene.begin(0, of: job, by: worker)
    let late = try scene.begin(1, of: job, by: worker)
    let failed = try scene.begin(2, of: job, by: worker)
    let report = FailureReport(code: .missingAsset, message: "a.mp4 is missing", isPermanent: true)
    try scene.write(
      .attemptEnded(late, .expired, framesRendered: nil, at: Scene.date(6)),
      .attemptEnded(failed, .failed(report), framesRendered: 3, at: Scene.date(7)))
    let entries = try ledger.entries(of: job)
    try #require(entries.count == 3)
    #expect(entries.map(\.attempts) == [1, 1, 1])
    #expect(
      entries[0].state
        == .leased([SegmentEntry.Holder(token: lease.token, worker: worker.id, attempt: 1)]))
    #expect(entries[0].cost == 100 && entries[0].memory == 1 << 20)
    #expect(entries[1].state == .pending && entries[1].expiries == 1)
    #expect(entries[2].state == .pending)
    #expect(
      entries[2].failures
        == [FailedAttempt(worker: worker.id, workerName: "rack", report: report)])
    let statuses = try ledger.segments(of: job, after: nil, limit: 2)
    #expect(statuses.map(\.index) == [0, 1])
    #expect(statuses.map(\.state) == [.leased, .pending])
    #expect(statuses.map(\.worker) == ["rack", nil])
    #expect(try ledger.segments(of: job, after: 1, limit: 2).map(\.index) == [2])
    try scene.write(.segmentGivenUp(SegmentID(job: job, index: 2)))
    let progress = try ledger.progress(of: job).segments
    #expect((progress.leased, progress.pending, progress.failed) == (1, 1, 1))
    try scene.write(.fingerprintFixed(job, "x265"))
    #expect(try scene.row(job)?.fingerprint == "x265")
    try scene.write(.jobRestarted(job))
    #expect(try scene.row(job)?.fingerprint == nil)
    #expect(
      try ledger.entries(of: job).allSatisfy {
        $0.state == .pending && $0.failures.isEmpty && $0.expiries == 0 && $0.attempts == 1
      })
  }

  @Test(arguments: LedgerKind.allCases)
  func `a job that ends keeps its progress`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 3)
    let worker = try scene.register("rack")
    try scene.deliver("chunk", 0, of: job, by: worker)
    _ = try scene.begin(1, of: job, by: worker)
    let failure = JobFailure(code: .missingAsset, message: "cannot read /srv/media/a.mp4")
    try scene.write(.jobFailed(job, failure, at: Scene.date(50)))
    let row = try #require(try scene.row(job))
    #expect(row.status.state == .failed && row.status.finishedAt == Scene.date(50))
    #expect(row.status.failure?.code == .missingAsset)
    #expect(row.status.failure?.message.contains("/srv") == false)
    let progress = try #require(row.finalProgress)
    #expect(progress.segments.completed == 1 && progress.segments.pending == 2)
    #expect(progress.framesRendered == 10 && progress.segmentsReused == 0)
    try scene.write(.jobRetried(job))
    let again = try #require(try scene.row(job))
    #expect(again.status.state == .queued && again.status.failure == nil)
    #expect(again.finalProgress == nil && again.status.finishedAt == nil)
    let entries = try ledger.entries(of: job)
    #expect(entries.map(\.state) == [.completed(worker.id), .pending, .pending])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a lost file completes its job again after a retry`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let job = try scene.plan("a", segments: 1)
    try scene.deliver("chunk", 0, of: job, by: scene.register("rack"))
    try scene.write(.jobCompleted(job, Scene.output, at: Scene.date(20)))
    #expect(try scene.row(job)?.status.output == Scene.output)
    let plan = try ledger.plan(of: job)
    let failure = JobFailure(code: .damagedOutput, message: "the file is missing")
    try scene.write(.outputLost(job, failure, at: Scene.date(30)))
    let lost = try #require(try scene.row(job))
    #expect(lost.status.state == .failed && lost.status.output == nil)
    #expect(lost.lostOutput == Scene.output && !lost.hasRecord)
    #expect(try ledger.isTrusted(lostOutputOf: lost))

    try scene.write(.jobRetried(job))
    try ledger.dropPlan(of: job)
    #expect(try scene.row(job)?.hasRecord == true)
    #expect(try ledger.documents().plans == [try #require(plan).file])
    try scene.write(.jobCancelled(job, at: Scene.date(40)))
    #expect(try scene.row(job)?.lostOutput == Scene.output)
    try scene.write(.outputRecovered(job, Scene.digest("another film")))
    #expect(try scene.row(job)?.status.state == .cancelled)
    try scene.write(.outputRecovered(job, Scene.output.sha256))
    let found = try #require(try scene.row(job))
    #expect(found.status.state == .completed && found.status.output == Scene.output)
    #expect(!found.hasRecord && found.finalProgress?.segments.completed == 1)
    #expect(try ledger.plan(of: job) == plan)
    #expect(try ledger.chunks(of: job) == [0: Scene.digest("chunk")])
  }

  @Test(arguments: LedgerKind.allCases)
  func `a lost file is not trusted once a chunk of it was dropped`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let job = try scene.plan("a", segments: 1)
    try scene.deliver("chunk", 0, of: job, by: scene.register("rack"))
    let failure = JobFailure(code: .damagedOutput, message: "the file is missing")
    try scene.write(
      .jobCompleted(job, Scene.output, at: Scene.date(20)),
      .outputLost(job, failure, at: Scene.date(30)),
      .chunkDropped(SegmentID(job: job, index: 0)))
    let row = try #require(try scene.row(job))
    #expect(row.lostOutput == Scene.output)
    #expect(try !scene.ledger.isTrusted(lostOutputOf: row))
  }

  @Test(arguments: LedgerKind.allCases)
  func `a job has the priority that it was given last`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let job = try scene.insert("a", priority: 3)
    try scene.write(.jobPrioritized(job, -2))
    #expect(try scene.row(job)?.status.priority == -2)
    #expect(try scene.ledger.unfinishedJobs().map(\.status.priority) == [-2])
    try scene.write(.jobPrioritized(job, 0))
    #expect(try scene.row(job)?.status.priority == nil)
  }

  @Test(arguments: LedgerKind.allCases)
  func `a deleted job leaves nothing behind that another job does not need`(kind: LedgerKind)
    throws
  {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let key = SubmissionKey(key: try #require(IdempotencyKey("once")), body: Scene.digest("body"))
    let job = try scene.plan("a", segments: 2)
    let worker = try scene.register("rack")
    try scene.deliver("chunk", 0, of: job, by: worker)
    try scene.deliver("shared", 1, of: job, by: worker)
    let other = try scene.plan("b", segments: 1)
    try scene.deliver("shared", 0, of: other, by: worker)
    let failure = JobFailure(code: .damagedOutput, message: "the file is missing")
    try scene.write(
      .jobCompleted(job, Scene.output, at: Scene.date(20)),
      .outputLost(job, failure, at: Scene.date(30)), .jobRetried(job),
      .jobCancelled(job, at: Scene.date(40)))
    try scene.write(.jobDeleted(job))
    #expect(try scene.row(job) == nil)
    #expect(try ledger.jobs(of: nil, before: nil, limit: nil).map(\.id) == [other])
    #expect(try ledger.segmentCount(of: job) == 0 && ledger.plan(of: job) == nil)
    #expect(try ledger.chunks(of: job) == [:] && ledger.entries(of: job).isEmpty)
    #expect(try ledger.neededChunks() == [Scene.digest("shared")])
    #expect(try ledger.uses(of: Scene.digest("chunk")) == [])
    #expect(try ledger.documents().projects == [Scene.digest("project b")])
    #expect(try ledger.submittedAssets(of: job) == [])
    // Its name, number and key are free, and the number is not given again.
    let next = try scene.insert("a", under: key)
    #expect(try scene.row(next)?.number == 3)
    #expect(try scene.row(next)?.status.state == .queued)
  }

  @Test(arguments: LedgerKind.allCases)
  func `notifications are queued with their job's end, and tried until they end`(kind: LedgerKind)
    throws
  {
    let scene = try Scene(kind)
    let ledger = scene.ledger
    let (job, other) = (try scene.insert("a"), try scene.insert("b"))
    func notification(
      _ id: String, _ event: JobNotification.Event, _ percent: Int? = nil, of job: JobID
    ) throws -> StoredNotification {
      StoredNotification(
        id: id, job: job, event: event, percent: percent,
        receiver: try #require(Receiver("https://hooks.example/\(id)?key=1")),
        body: Data("{}".utf8), createdAt: Scene.date(10))
    }
    let (half, end) = (
      try notification("n1", .progress, 50, of: job), try notification("n2", .cancelled, of: job)
    )
    try scene.write(
      .notificationQueued(half), .jobCancelled(job, at: Scene.date(10)), .notificationQueued(end))
    // The other job is not cancelled.
    try scene.write(.notificationQueued(try notification("n3", .cancelled, of: other)))
    #expect(try ledger.notifications(of: job) == [half, end])
    #expect(try ledger.notifications(of: other).isEmpty)
    #expect(try ledger.announcedPercent(of: job) == 50)
    #expect(try ledger.announcedPercent(of: other) == nil)
    #expect(try ledger.latestNotifications(limit: 1) == [end])

    func due(_ seconds: Double, without servers: Set<String> = []) throws -> [String] {
      try ledger.dueNotifications(at: Scene.date(seconds), without: servers, limit: 9).map(\.id)
    }
    #expect(try due(9).isEmpty && due(10) == ["n1", "n2"])
    #expect(try due(10, without: ["https://hooks.example"]).isEmpty)
    let later = NotificationOutcome(
      .postponed(until: Scene.date(40)), status: 500, error: "the receiver answered 500")
    try scene.write(
      .notificationTried("n1", later),
      .notificationTried("n2", NotificationOutcome(.delivered(at: Scene.date(11)), status: 204)))
    #expect(try due(39).isEmpty && due(40) == ["n1"])
    #expect(try ledger.pendingNotificationCount() == 1)
    let tried = try #require(try ledger.notifications(of: job).first)
    #expect(tried.attempts == 1 && tried.status == 500 && tried.error != nil)
    try scene.write(
      .notificationTried("n1", NotificationOutcome(.gaveUp(at: Scene.date(50)), error: "no")),
      .notificationTried("n1", NotificationOutcome(.delivered(at: Scene.date(60)))))
    #expect(try ledger.notifications(of: job).map(\.state) == [.failed, .delivered])
    try ledger.forgetNotifications(endedBefore: Scene.date(50))
    #expect(try ledger.notifications(of: job).map(\.id) == ["n1"])
  }

  @Test(arguments: [LedgerKind.file, .memory])
  func `a snapshot does not see later changes`(kind: LedgerKind) throws {
    let scene = try Scene(kind)
    let snapshot = try #require(scene.ledger.snapshot)
    try scene.insert("a")
    try snapshot.read { ledger in
      #expect(try ledger.jobCounts() == [.queued: 1])
      try scene.insert("b")
      #expect(try ledger.jobCounts() == [.queued: 1])
    }
    #expect(try snapshot.read { try $0.jobCounts() } == [.queued: 2])
  }
}
