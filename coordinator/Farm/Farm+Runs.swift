import Crypto
import FarmAPI
import Foundation
import Planning
import Scheduling

/// A plan as the ledger keeps it. To encode one of a long timeline takes seconds, and is not the farm's to do.
struct FrozenPlan: Sendable {
  let plan: Plan
  let hash: Digest
  let body: Data

  /// Encodes a plan. Blocks.
  init(_ plan: Plan) throws {
    self.plan = plan
    hash = try plan.hash()
    body = try FarmCoding.encode(plan)
  }
}

/// What a run needs to know of its job.
struct JobWork: Sendable {
  let submission: JobSubmission
  /// The plan, where it was frozen before.
  let plan: Plan?
}

extension Farm {
  /// Begins a job's run.
  ///
  /// This and what follows is refused to a cancelled run: its job has ended, or belongs to another run by now.
  func beginRun(_ id: JobID) throws -> JobWork? {
    try Task.checkCancellation()
    guard jobs[id] != nil, let submission = try ledger.submission(of: id) else { return nil }
    let plan = try readablePlan(of: id)
    if plan == nil {
      try write([.jobAdvanced(id, .planning)])
      changed(id)
    }
    return JobWork(submission: submission, plan: plan)
  }

  /// A job's plan, once frozen. One in a form that this version does not read, as after an upgrade, is dropped: the job is
  /// planned again.
  func readablePlan(of id: JobID) throws -> Plan? {
    do {
      return try ledger.plan(of: id)
    } catch is DecodingError {
      log.error("job \(id): another version planned it: it is planned again")
      try ledger.dropPlan(of: id)
      return nil
    }
  }

  /// Freezes a job's plan.
  func freeze(_ plan: FrozenPlan, of id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    try checkSegmentLimit(plan.plan.segments.count, of: id, limits(of: id))
    try ledger.keep(plan, of: id)
    let plan = plan.plan
    log.info("job \(id): planned: \(plan.frameCount) frames in \(plan.segments.count) segments")
  }

  /// What a job may have: the limits that it was accepted under, or those of this start where they are larger.
  func limits(of id: JobID) -> JobLimits { jobs[id]?.limits ?? jobLimits }

  /// Notes by which block digests workers are to check a job's assets.
  func note(blockDigests: [Digest: Digest], of id: JobID) throws {
    try Task.checkCancellation()
    jobs[id]?.blockDigests = blockDigests
  }

  /// Whether the block digests of every asset that a plan shows are there; they are noted then. Those that are missing,
  /// from before there were any, are made by the job's run.
  private func restoreBlockDigests(of id: JobID, _ plan: Plan) -> Bool {
    var digests: [Digest: Digest] = [:]
    for asset in Set(plan.segments.flatMap { $0.sources.map(\.asset) }) {
      guard let facts = assetStore.blocks.facts(of: asset) else { return false }
      digests[asset] = facts.digest
    }
    jobs[id]?.blockDigests = digests
    return true
  }

  /// Refuses a job that would bring its submitter's unfinished segments over the limit.
  func checkSegmentLimit(_ count: Int, of id: JobID, _ limits: JobLimits) throws {
    let others = try ledger.segmentCount(besides: id)
    guard others + count <= limits.segments else {
      throw JobError(
        "limit-reached",
        "the project has \(count) segments, and \(others) of other jobs are unfinished: the limit "
          + "is \(limits.segments): wait for those, or split the project")
    }
  }

  /// Gives a job's segments to the workers, apart from those that have chunks of earlier jobs. The stream brings every
  /// chunk, those that are there first, and ends with the job.
  func render(
    _ id: JobID, _ plan: Plan, _ contents: [SegmentContent], reusing reusable: ReusableChunks?
  ) throws -> AsyncStream<ChunkNews> {
    try Task.checkCancellation()
    jobs[id]?.contents = contents
    let shared = try ledger.submission(of: id)?.rerenders != true && keepsChunks ? contents : nil
    try schedule(id, plan, reusing: reusable, contents: shared)
    if let shared { dispatch(.contentsKnown(id, shared)) }
    let (stream, continuation) = AsyncStream.makeStream(of: ChunkNews.self)
    for (segment, sha256) in try ledger.chunks(of: id).sorted(by: { $0.key < $1.key }) {
      continuation.yield(.accepted(AcceptedChunk(segment: segment, sha256: sha256)))
    }
    jobs[id]?.chunks = continuation
    noteProgress(id)
    changed(id)
    return stream
  }

  /// Puts a job's segments into the scheduler, unless they are there already: after a restart that is done before
  /// anybody can ask, so that leases from before are in force all the time.
  private func schedule(
    _ id: JobID, _ plan: Plan, reusing reusable: ReusableChunks? = nil,
    contents: [SegmentContent]? = nil
  ) throws {
    guard let job = jobs[id] else { throw CancellationError() }
    guard scheduler.progress(of: id) == nil else { return }
    for (segment, sha256) in try ledger.chunks(of: id) where !chunkStore.contains(sha256) {
      log.error("job \(id): segment \(segment): its chunk is not on disk: it is rendered again")
      try write([.chunkDropped(SegmentID(job: id, index: segment))])
    }
    if let reusable { try write(try reusing(reusable, for: id)) }
    jobs[id]?.segmentsReused = try ledger.reusedCount(of: id)
    var entries = try ledger.entries(of: id)
    for (index, segment) in plan.segments.enumerated() {
      entries[index].cost = segment.expectedCost
    }
    let fingerprint = try ledger.job(id)?.fingerprint
    let audience = try audience(of: id)
    try write([.jobAdvanced(id, .rendering)])
    jobs[id]?.plan = plan
    dispatch(
      .jobAdded(
        JobEntry(
          id: id, order: job.number, priority: job.priority, submitter: job.submitter,
          fingerprint: fingerprint, segments: entries, contents: contents,
          audience: audience)))
  }

  /// Takes back a chunk that cannot be appended: its worker is to blame, and its segment is rendered again.
  func refuse(chunkOf segment: SegmentID, _ failure: JobFailure) throws {
    try Task.checkCancellation()
    dispatch(
      .chunkRefused(
        segment,
        FailureReport(code: failure.code, message: failure.message, isPermanent: false)))
  }

  /// Notes what became of a job's sound.
  func note(_ report: MixReport, of id: JobID) throws {
    try Task.checkCancellation()
    try write([.soundMixed(id, report)])
    changed(id)
  }

  /// Ends a job well.
  ///
  /// - Parameter chunks: what the file is made of, in order.
  func complete(_ id: JobID, _ output: OutputFile, of chunks: [Digest]) throws {
    try Task.checkCancellation()
    try assureTrust(in: chunks, of: id)
    try write([.jobCompleted(id, output, at: clock.date())])
    dispatch(.jobRemoved(id))
    log.info("job \(id): completed: \(output.byteCount) bytes, SHA-256 \(output.sha256)")
    retire(id)
    chunkStore.remove(try ledger.disposableChunks(of: id))
  }

  /// Ends a job that cannot be finished.
  func fail(_ id: JobID, _ failure: JobFailure) {
    guard !Task.isCancelled, jobs[id] != nil else { return }
    log.error("job \(id) failed: \(failure.code): \(failure.message)")
    var failure = failure
    failure.message = PublicMessage.without(space.path, in: failure.message)
    // Where the ledger cannot take it now, it takes it with the next transition.
    writeLater(.jobFailed(id, failure, at: clock.date()))
    dispatch(.jobRemoved(id))
    retire(id)
  }

  /// Sets a job's run going, once an earlier run of the job has cleared up.
  func startRun(of id: JobID) {
    guard let drive else { return }
    lastRun += 1
    let number = lastRun
    let earlier = endingRuns.removeValue(forKey: id)
    let task = Task {
      await earlier?.task.value
      await drive(id)
      endRun(number, of: id)
    }
    jobs[id]?.run = Run(number: number, task: task)
  }

  private func endRun(_ number: UInt64, of id: JobID) {
    if endingRuns[id]?.number == number { endingRuns[id] = nil }
  }

  /// Takes up where the coordinator before left off.
  ///
  /// - Parameter drive: drives a job to its end, or until its task is cancelled.
  func restore(drive: @escaping @Sendable (JobID) async -> Void) throws {
    self.drive = drive
    try forgetDistrusted()
    try ledger.measureAssets { AssetStore.size(assetStore.path(of: $0)) ?? 0 }
    for worker in try ledger.workers() { dispatch(.workerRegistered(worker)) }
    for row in try ledger.unfinishedJobs() {
      guard let submission = try ledger.submission(of: row.id) else { continue }
      log.info("job \(row.id): \(row.status.name) taken up again")
      start(row, submission)
      do {
        if let plan = try readablePlan(of: row.id), restoreBlockDigests(of: row.id, plan) {
          try schedule(row.id, plan)
        }
      } catch let error as JobError {
        fail(row.id, error.failure)
      } catch let error where RunTries.isForWantOfSpace(error) {
        // The job's run does it when it can.
        log.error("job \(row.id): \(error)")
      } catch {
        fail(row.id, JobFailure(code: "coordinator", message: "\(error)"))
      }
    }
    chunkStore.removeAll(but: try ledger.neededChunks())
  }
}
