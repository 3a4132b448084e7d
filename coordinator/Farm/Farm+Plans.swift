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
  /// It may replace the plan of a job that follows a recording. The segments that both plans begin with keep their
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
    let earlier = try ledger.contents(of: id).map(\.content.digest)
    if !earlier.isEmpty {
      dispatch(.jobRemoved(id))
      jobs[id]?.chunks?.finish()
      jobs[id]?.chunks = nil
    }
    var kept = 0
    var isSame = true
    var stored = TableDigest()
    while kept < table.count {
      let records = try table.records(from: kept)
      if isSame, let change = Self.firstChange(of: records, from: kept, since: earlier) {
        isSame = false
        try ledger.dropSegments(of: id, from: change)
      }
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

  /// The number of the first segment whose content differs from that in an earlier plan; `nil` if none does.
  private static func firstChange(
    of records: [PlannedSegment], from first: Int, since earlier: [Digest]
  ) -> Int? {
    for (number, record) in zip(first..., records)
    where number < earlier.count && earlier[number] != record.content {
      return number
    }
    return nil
  }
}
