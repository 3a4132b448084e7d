import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling

/// The facts about a job that its run needs.
struct JobWork: Sendable {
  let submission: StoredSubmission
  let submitter: String?
  /// The plan, if it is already frozen.
  let plan: PlanFacts?
  let limits: PlanningLimits
}

extension Farm {
  /// Begins a job's run.
  ///
  /// A cancelled run must not call this or the functions below, because its job has ended or belongs to another run.
  func beginRun(_ id: JobID) async throws -> JobWork? {
    try Task.checkCancellation()
    guard jobs[id] != nil, let submission = try await storedSubmission(of: id) else { return nil }
    try Task.checkCancellation()
    guard let job = jobs[id] else { return nil }
    let plan = try readablePlan(of: id)
    if plan == nil {
      try write([.jobAdvanced(id, .planning)])
      changed(id)
    }
    return JobWork(
      submission: submission, submitter: job.submitter, plan: plan,
      limits: job.limits.planning ?? PlanningLimits())
  }

  /// The submission and the plan of a job that earlier versions kept in the ledger; each is `nil` if it is in a file.
  func unadopted(_ id: JobID) throws -> (submission: Data?, plan: Data?) {
    try ledger.unadopted(id)
  }

  /// Records that the project of an earlier version's job has been moved into a file.
  func adopt(_ submission: StoredSubmission, of id: JobID) throws {
    try write([])
    try ledger.adopt(submission, of: id)
  }

  /// The unfinished jobs that an earlier version planned.
  func jobsToAdopt() throws -> [JobID] {
    try ledger.jobsToAdopt()
  }

  /// The number of times that the coordinator may die while planning a job before the job fails.
  private static let planningLimit = 3

  /// Counts a planning attempt in the ledger just before its process starts, because it may crash the coordinator.
  ///
  /// - Throws: ``JobError`` after too many attempts.
  func countPlanning(of id: JobID) throws {
    try Task.checkCancellation()
    guard try ledger.countPlanning(of: id) <= Self.planningLimit else {
      throw JobError(
        .planningGivenUp,
        "the coordinator died \(Self.planningLimit) times while planning the project: split or "
          + "simplify it")
    }
    jobs[id]?.isPlanningCounted = true
  }

  /// Removes the current planning attempt from the count if it was counted, because the coordinator survived it.
  func uncountPlanning(of id: JobID) {
    guard jobs[id]?.isPlanningCounted == true else { return }
    jobs[id]?.isPlanningCounted = false
    try? ledger.uncountPlanning(of: id)
  }

  /// Notes whether a job follows a recording that has not ended.
  func note(isFollowing: Bool, of id: JobID) {
    guard !Task.isCancelled, jobs[id]?.isFollowing == !isFollowing else { return }
    jobs[id]?.isFollowing = isFollowing
    changed(id)
  }

  /// The frame counts of a job's segments.
  func frameCounts(of id: JobID) throws -> [Int32] { try ledger.frameCounts(of: id) }

  /// The submitter of a running job, if it has one.
  func submitter(of id: JobID) -> String? { jobs[id]?.submitter }

  /// Records the assets that a job's segments use, and the block digests that workers check them with.
  /// They are stored in batches, and other calls are answered in between.
  func note(assets: [LeasedAsset], of id: JobID) async throws {
    for first in stride(from: 0, to: assets.count, by: Self.assetBatch) {
      try Task.checkCancellation()
      try write([])
      try ledger.keep(
        assets[first..<min(first + Self.assetBatch, assets.count)], leasedFor: id)
      await Task.yield()
    }
  }

  /// The number of assets stored in one call.
  private static let assetBatch = 500

  /// Whether every asset in a plan is recorded with block digests that exist. If not, the job's run makes and records
  /// them before the job is scheduled.
  private func hasAssets(of plan: PlanFacts, _ id: JobID) throws -> Bool {
    let blocks = try ledger.leasedBlocks(of: id)
    guard !blocks.isEmpty else { return try recordAssets(of: plan, id) }
    return plan.assets.allSatisfy { digest in
      guard let list = blocks[digest] else { return false }
      return assetStore.blocks.facts(of: digest)?.digest == list
    }
  }

  /// Records the assets of a job that an earlier version planned, so that leases from before the upgrade are in force at
  /// once. Returns false if block digests are missing.
  private func recordAssets(of plan: PlanFacts, _ id: JobID) throws -> Bool {
    let known = try ledger.assets(of: id).map(\.asset) + plan.pictures
    let references = Dictionary(known.map { ($0.digest, $0) }) { first, _ in first }
    var assets: [LeasedAsset] = []
    for digest in plan.assets {
      guard let reference = references[digest], let facts = assetStore.blocks.facts(of: digest)
      else { return false }
      assets.append(LeasedAsset(reference, blocks: facts.digest))
    }
    try ledger.keep(assets, leasedFor: id)
    return true
  }

  /// Offers a job's segments to the workers, except those that have chunks of earlier jobs. The stream yields every
  /// chunk, starting with those that already exist, and ends with the job.
  func render(
    _ id: JobID, _ plan: PlanFacts, reusing reusable: ReusableChunks?
  ) async throws -> AsyncStream<ChunkNews> {
    try Task.checkCancellation()
    if let reusable, scheduler.progress(of: id) == nil { try await assign(reusable, to: id) }
    let shared = try reuse.sharedContents(of: id)
    try schedule(id, plan, contents: shared)
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

  /// Adds a job's segments to the scheduler, unless they are already there. After a restart, they are added before any
  /// request is answered, so that earlier leases stay in force throughout.
  private func schedule(
    _ id: JobID, _ plan: PlanFacts, contents: [SegmentContent]? = nil
  ) throws {
    guard let job = jobs[id] else { throw CancellationError() }
    guard scheduler.progress(of: id) == nil else { return }
    for (segment, sha256) in try ledger.chunks(of: id) where !chunkStore.contains(sha256) {
      log.error("its chunk is missing: rendering it again", .segment(segment, of: id))
      try write([.chunkDropped(SegmentID(job: id, index: segment))])
    }
    segmentRoom.readmit(id, of: job.submitter, plan.segmentCount)
    jobs[id]?.segmentsReused = try ledger.reusedCount(of: id)
    let entries = try ledger.entries(of: id)
    let fingerprint = try ledger.job(id)?.fingerprint
    let audience = try reuse.audience(of: id)
    let isInOrder = try ledger.isInOrder(id)
    try write([.jobAdvanced(id, .rendering)])
    jobs[id]?.segmentKinds = try ledger.segmentKinds(of: id)
    jobs[id]?.drawing = nil
    jobs[id]?.codec = plan.codec
    jobs[id]?.frameCount = plan.frameCount
    jobs[id]?.plan = plan.file
    // The facts of a replaced plan also name the plan with which its stream began.
    if jobs[id]?.facts?.hash != plan.hash { jobs[id]?.facts = plan.withoutLists }
    dispatch(
      .jobAdded(
        JobEntry(
          id: id, order: job.number, priority: job.priority, submitter: job.submitter,
          fingerprint: fingerprint, pool: job.pool, isInOrder: isInOrder, segments: entries,
          contents: contents, audience: audience)))
  }

  /// Takes back a chunk that cannot be appended. Its worker is blamed, and its segment is rendered again.
  func refuse(chunkOf segment: SegmentID, _ failure: JobFailure) throws {
    try Task.checkCancellation()
    dispatch(
      .chunkRefused(
        segment,
        FailureReport(code: failure.code, message: failure.message, isPermanent: false)))
  }

  /// Completes a job.
  ///
  /// - Parameter chunks: the chunks in the file, in order.
  func complete(_ id: JobID, _ output: OutputFile, of chunks: [Digest]) async throws {
    try Task.checkCancellation()
    try assureTrust(in: chunks, of: id)
    try write([.jobCompleted(id, output, at: clock.date())])
    dispatch(.jobRemoved(id))
    log.info("completed: \(output.byteCount) bytes, SHA-256 \(output.sha256)", .job(id))
    retire(id)
    await dispose(of: try ledger.disposableChunks(of: id))
  }

  /// Removes chunks that nothing uses, in batches. Other calls are answered in between.
  func dispose(of chunks: [Digest]) async {
    for first in stride(from: 0, to: chunks.count, by: Self.disposalBatch) {
      // Another job may have begun to use some in the meantime.
      let unused = chunks[first..<min(first + Self.disposalBatch, chunks.count)].filter {
        (try? ledger.uses(of: $0).isEmpty) == true
      }
      chunkStore.remove(unused)
      await clock.giveTurn()
    }
  }

  /// The number of chunks that are removed in one call.
  private static let disposalBatch = 500

  /// Ends a job that cannot be finished.
  func fail(_ id: JobID, _ failure: JobFailure) {
    guard !Task.isCancelled, jobs[id] != nil else { return }
    log.error("failed: \(failure.code): \(failure.message)", .job(id))
    // If the ledger cannot store it now, it stores it with the next transition.
    writeLater(.jobFailed(id, failure, at: clock.date()))
    dispatch(.jobRemoved(id))
    retire(id)
  }

  /// Requests a run of a job. It begins after an earlier run of the job has cleaned up.
  func startRun(of id: JobID) {
    lastRun += 1
    jobs[id]?.run = Run(number: lastRun)
    requestRun.yield(RunRequest(job: id, number: lastRun))
  }

  /// Notes the task of a run that was requested, or cancels it if the run is no longer wanted.
  func note(_ task: Task<Void, Never>, of request: RunRequest) {
    guard !isStopping, jobs[request.job]?.run?.number == request.number else {
      return task.cancel()
    }
    jobs[request.job]?.run?.task = task
  }

  /// Resumes the work of the previous coordinator.
  func restore() throws {
    try forgetDistrusted()
    try ledger.measureAssets { assetStore.size(of: $0) ?? 0 }
    for worker in try ledger.workers() { dispatch(.workerRegistered(worker)) }
    for row in try ledger.unfinishedJobs() {
      log.info("\(row.status.name): resuming", .job(row.id))
      try start(row)
      do {
        // A job that was waiting for room for its segments has none yet.
        if [.rendering, .assembling].contains(row.status.state),
          let plan = try readablePlan(of: row.id),
          try hasAssets(of: plan, row.id)
        {
          try schedule(row.id, plan)
        }
      } catch let error as JobError {
        fail(row.id, error.failure)
      } catch let error where RunTries.isForWantOfSpace(error) {
        // The job's run schedules it when there is space.
        log.error("\(error)", .job(row.id))
      } catch {
        fail(row.id, JobFailure(code: .coordinator, message: "\(error)"))
      }
    }
    // Throws if another coordinator took over while the ledger was read, because what was read may be inconsistent.
    try ledger.probe()
    chunkStore.removeAll(but: try ledger.neededChunks())
  }
}
