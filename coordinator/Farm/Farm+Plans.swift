import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// The plans of jobs: freezing, checking, replacing and dropping them.
extension Farm {
  /// The file of a job's plan, once frozen.
  func planFile(of id: JobID) throws -> Digest? {
    try Task.checkCancellation()
    do { return try ledger.plan(of: id)?.file } catch is DecodingError { return nil }
  }

  /// A job's plan, once frozen. The plan is dropped and the job planned again if this version cannot read the plan's
  /// format (after an upgrade), the plan's file is missing, or its table changed on the disk.
  func readablePlan(of id: JobID) throws -> PlanFacts? {
    var problem = "another version made it"
    do {
      guard let plan = try ledger.plan(of: id) else { return nil }
      if plan.format == PlanFacts.currentFormat {
        if !documents.contains(.plan(plan.file)) {
          problem = "its file is missing"
        } else if try isTableSound(of: id, plan) {
          return plan
        } else {
          problem = "its table of segments changed on the disk"
        }
      }
    } catch is DecodingError {
    }
    try dropPlan(of: id, because: problem)
    return nil
  }

  /// Whether a job's segments in the ledger match its plan. They are compared until the scheduler has them.
  private func isTableSound(of id: JobID, _ plan: PlanFacts) throws -> Bool {
    guard scheduler.progress(of: id) == nil else { return true }
    return try ledger.tableDigest(of: id) == plan.table
  }

  /// Drops the damaged or missing plan of a job, whose run then makes another one. Leases of the job's segments end;
  /// chunks that are kept by content return with the new plan.
  func losePlan(of id: JobID) throws {
    try Task.checkCancellation()
    try dropPlan(of: id, because: "its file is damaged or missing")
  }

  /// Restarts a job's run, because part of its plan's file does not match its digest or the file is missing. The new
  /// run reads the whole file first, and makes another plan if it is damaged.
  ///
  /// - Parameter run: the number of the run during which this was found; nothing happens if another one has begun.
  func suspectPlan(of id: JobID, during run: UInt64?) {
    guard var job = jobs[id], job.run?.number == run, !isStopping else { return }
    job.plansSuspected += 1
    jobs[id]?.plansSuspected = job.plansSuspected
    guard job.plansSuspected < Self.suspicionLimit else {
      return fail(
        id,
        JobFailure(
          code: .damagedPlan,
          message:
            "the job's plan was damaged on the coordinator's disk \(Self.suspicionLimit) times: "
            + "check the disk and retry the job"))
    }
    log.error("its plan is damaged or missing: restarting its run", .job(id))
    dispatch(.jobRemoved(id))
    job.chunks?.finish()
    jobs[id]?.chunks = nil
    job.run?.task?.cancel()
    startRun(of: id)
    changed(id)
  }

  /// The number of times that a live job's plan may be found damaged before the job fails.
  private static let suspicionLimit = 5

  /// Restarts the runs of the jobs whose plan was found damaged.
  func losePlan(in file: Digest) {
    for id in jobs.keys where (try? ledger.plan(of: id))?.file == file {
      suspectPlan(of: id, during: jobs[id]?.run?.number)
    }
  }

  /// Drops an unreadable plan, so that the job is planned again.
  ///
  /// - Parameter problem: a clause about the plan, for the log.
  func dropPlan(of id: JobID, because problem: String) throws {
    log.error("its plan cannot be used: \(problem): planning it again", .job(id))
    counters.plansLost += 1
    dispatch(.jobRemoved(id))
    jobs[id]?.plan = nil
    jobs[id]?.facts = nil
    try ledger.dropLeasedAssets(of: id)
    try ledger.dropPlan(of: id)
  }

  /// Freezes a job's plan, unless it has more segments than the farm may render. The segments are stored in batches,
  /// and other calls are answered in between.
  ///
  /// For a job that follows a recording, it replaces the earlier plan. Segments with the same content keep their
  /// chunks.
  func freeze(_ plan: PlanFacts, _ table: SegmentTable, of id: JobID) async throws {
    try Task.checkCancellation()
    try write([])
    let limits = try ledgerLimits(of: id)
    let limit = limits.segmentsAtOnce ?? segmentRoom.limit
    guard plan.segmentCount <= limit else {
      throw JobError(
        .limitReached,
        "the project has \(plan.segmentCount) segments: the limit is \(limit) (--max-segments): "
          + "split the project")
    }
    try checkSegmentLimit(plan.segmentCount, of: id, limits)
    guard table.count == plan.segmentCount else { throw JobError.changedTable }
    if try planFile(of: id) != nil { return try replace(by: plan, table, of: id) }
    var kept = 0
    var stored = TableDigest()
    while kept < table.count {
      let records = try table.records(from: kept)
      try ledger.keep(records, from: kept, of: id)
      for record in records { stored.add(record) }
      kept += records.count
      await Task.yield()
      try Task.checkCancellation()
    }
    guard stored.digest == plan.table else { throw JobError.changedTable }
    // Other plans of the submitter may have been stored in the meantime.
    try checkSegmentLimit(plan.segmentCount, of: id, limits)
    try ledger.keep(plan, of: id)
    forgetDrawing(of: id)
    log.info("planned: \(plan.frameCount) frames in \(plan.segmentCount) segments", .job(id))
  }

  /// Replaces the plan of a job that follows a recording. Its leases end, because the new plan may lack their segments.
  private func replace(by plan: PlanFacts, _ table: SegmentTable, of id: JobID) throws {
    var records: [PlannedSegment] = []
    var stored = TableDigest()
    while records.count < table.count { records += try table.records(from: records.count) }
    for record in records { stored.add(record) }
    guard stored.digest == plan.table else { throw JobError.changedTable }
    dispatch(.jobRemoved(id))
    jobs[id]?.chunks?.finish()
    jobs[id]?.chunks = nil
    let earlier = try ledger.plan(of: id)
    let contents = try ledger.contents(of: id).map(\.content.digest)
    let kept = zip(records.map(\.content), contents).prefix { $0 == $1 }.count
    var plan = plan
    if let earlier, plan.continuesStream(of: earlier), kept == contents.count {
      plan.streamOrigin = earlier.streamOrigin ?? earlier.hash
    } else {
      if kept < contents.count {
        log.info("segments changed from the earlier plan, from number \(kept) on", .job(id))
      }
      jobs[id]?.listedSegments = 0
    }
    try ledger.replacePlan(by: plan, records, of: id)
    jobs[id]?.facts = plan.withoutLists
    forgetDrawing(of: id)
    log.info("planned: \(plan.frameCount) frames in \(plan.segmentCount) segments", .job(id))
  }

  /// Whether a job's plan is that of the whole film.
  func hasFinalPlan(_ id: JobID) throws -> Bool {
    do { return try ledger.plan(of: id)?.isProvisional == false } catch is DecodingError {
      return false
    }
  }
}
