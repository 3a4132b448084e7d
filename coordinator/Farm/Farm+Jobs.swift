import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling

struct Acceptance: Sendable {
  let status: JobStatus
  /// Whether the job is new; otherwise it was submitted before.
  let isNew: Bool
}

extension Farm {
  /// Accepts a job and starts it, unless it was submitted before.
  ///
  /// - Parameters:
  ///   - key: the submission's key, if the client sent one.
  ///   - caller: the submitter.
  /// - Throws: ``FarmError`` if another body was submitted under the key, or the caller has too many unfinished
  ///   jobs.
  nonisolated func submit(
    _ submission: StoredSubmission, under key: SubmissionKey? = nil, by caller: Caller = .local
  ) async throws -> Acceptance {
    let (stored, isNew) = try await accept(submission, under: key, by: caller)
    return Acceptance(status: try await decoded(stored), isNew: isNew)
  }

  private func accept(
    _ submission: StoredSubmission, under key: SubmissionKey?, by caller: Caller
  ) throws -> (StoredStatus, isNew: Bool) {
    // The same submission, or another one, may have arrived while this one was read.
    if let earlier = try storedStatus(under: key, for: caller) { return (earlier, isNew: false) }
    try checkJobLimit(of: caller)
    let id = JobID(rawValue: Self.newID())
    makeRoom()
    try space.assure()
    try write([])
    try ledger.insert(
      id, submission, under: key, by: caller.name, limits: jobLimits, at: clock.date())
    log.info("\(submission.name) submitted", .job(id, by: caller))
    guard let row = try ledger.job(id) else { throw FarmError.notFound("job", id.rawValue) }
    try start(row)
    return (try storedStatus(of: id), isNew: true)
  }

  /// The job that the caller submitted under a key; `nil` if there is none.
  ///
  /// - Throws: ``FarmError`` if the earlier submission had another body.
  nonisolated func job(
    under key: SubmissionKey?, for caller: Caller
  ) async throws -> JobStatus? {
    guard let stored = try await storedStatus(under: key, for: caller) else { return nil }
    return try await decoded(stored)
  }

  private func storedStatus(
    under key: SubmissionKey?, for caller: Caller
  ) throws -> StoredStatus? {
    guard let key, let (id, body) = try ledger.job(under: key.key, by: caller.name) else {
      return nil
    }
    guard body == key.body else {
      throw FarmError(
        .keyReused,
        "job '\(id)' was submitted under this key with a different body: use another key")
    }
    return try storedStatus(of: id, for: caller)
  }

  /// Rejects another job from a submitter that already has the maximum number of unfinished jobs.
  func checkJobLimit(of caller: Caller) throws {
    guard try ledger.unfinishedJobCount(of: caller.name) >= jobsPerSubmitter else { return }
    throw FarmError(
      .limitReached,
      "you already have \(jobsPerSubmitter) unfinished jobs, which is the limit: wait for one to "
        + "finish, or cancel one")
  }

  /// Starts a job that is in the ledger.
  func start(_ row: JobRow) throws {
    let limits = try row.limits
    jobs[row.id] = LiveJob(
      name: row.status.name, number: row.number, priority: row.status.priority ?? 0,
      submitter: row.status.submitter,
      limits: limits?.union(jobLimits) ?? jobLimits)
    jobs[row.id]?.pool = try ledger.pool(of: row.id).flatMap(PoolName.init)
    try readNotifications(of: row.id)
    startRun(of: row.id)
    changed(row.id)
  }

  nonisolated func cancel(_ id: JobID, for caller: Caller = .local) async throws -> JobStatus {
    try await decoded(try await stop(id, for: caller))
  }

  private func stop(_ id: JobID, for caller: Caller) throws -> StoredStatus {
    let status = try storedStatus(of: id, for: caller).status
    guard !status.state.isFinal else {
      throw FarmError(
        .wrongState, "job '\(id)' is already \(status.state.rawValue), so it cannot be cancelled")
    }
    try write([.jobCancelled(id, at: clock.date())])
    dispatch(.jobRemoved(id))
    log.info("cancelled", .job(id, by: caller))
    retire(id)
    return try storedStatus(of: id)
  }

  /// Restarts a failed or cancelled job. Its accepted chunks are kept.
  nonisolated func retry(_ id: JobID, for caller: Caller = .local) async throws -> JobStatus {
    try await decoded(try await beginAgain(id, for: caller))
  }

  private func beginAgain(_ id: JobID, for caller: Caller) throws -> StoredStatus {
    let status = try storedStatus(of: id, for: caller).status
    guard status.state == .failed || status.state == .cancelled else {
      throw FarmError(
        .wrongState,
        "job '\(id)' is \(status.state.rawValue): only failed and cancelled jobs can be retried")
    }
    try checkJobLimit(of: caller)
    if status.planHash != nil {
      do {
        try checkSegmentLimit(ledger.segmentCount(of: id), of: id, jobLimits)
      } catch let error as JobError {
        throw FarmError(
          .limitReached, error.failure.message)
      }
    }
    try write([.jobRetried(id)])
    log.info("retried", .job(id, by: caller))
    guard let row = try ledger.job(id) else { throw FarmError.notFound("job", id.rawValue) }
    try start(row)
    return try storedStatus(of: id)
  }

  /// Stops driving a job that has ended, and notifies its watchers.
  func retire(_ id: JobID) {
    let job = jobs.removeValue(forKey: id)
    job?.chunks?.finish()
    leaveSegmentRoom(id)
    // Rows that remain after an error are deleted with the job's record.
    try? ledger.dropLeasedAssets(of: id)
    job?.run?.task?.cancel()
    changed(id)
    announceEnd(of: id)
  }

  /// The jobs that the caller may see, newest first, as lists show them.
  ///
  /// - Parameters:
  ///   - earlier: return only jobs older than this one.
  ///   - limit: the maximum number of jobs. Long lists are read in several calls, so that others are answered in between.
  func statuses(
    for caller: Caller = .local, before earlier: JobID? = nil, limit: Int
  ) throws -> [JobStatus] {
    if let earlier { _ = try row(of: earlier, for: caller) }
    let rows = try ledger.jobs(of: caller.confinement, before: earlier, limit: limit)
    let concealed = try ledger.concealedCounts(of: rows.map(\.id))
    return try rows.map { try complete($0, concealed: concealed[$0.id]).listed }
  }

  /// A job as lists and events show it; `nil` if the job does not exist.
  func listedStatus(of id: JobID) throws -> JobStatus? {
    guard let row = try ledger.job(id) else { return nil }
    return try complete(row, concealed: ledger.concealedCounts(of: [id])[id]).listed
  }

  /// One job with its first concealed parts.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it.
  nonisolated func status(of id: JobID, for caller: Caller = .local) async throws -> JobStatus {
    try await decoded(try await storedStatus(of: id, for: caller))
  }

  private func storedStatus(
    of id: JobID, for caller: Caller = .local
  ) throws -> StoredStatus {
    let row = try row(of: id, for: caller)
    let status = try complete(row, concealed: ledger.concealedCounts(of: [id])[id])
    return StoredStatus(
      status: status,
      concealed: try status.concealedCount.map { _ in try ledger.firstConcealments(of: id) })
  }

  /// The ledger's record of a job.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it.
  func row(of id: JobID, for caller: Caller) throws -> JobRow {
    guard let row = try ledger.job(id),
      caller.confinement == nil || caller.confinement == row.status.submitter
    else { throw FarmError.notFound("job", id.rawValue) }
    return row
  }

  /// Completes a status from the ledger with the values that are kept only in memory.
  ///
  /// - Parameter concealed: the number of concealed parts, if there are any.
  private func complete(_ row: JobRow, concealed: Int?) throws -> JobStatus {
    var status = row.status
    let reused: Int
    if let final = row.finalProgress {
      (status.segments, status.framesRendered) = (final.segments, final.framesRendered)
      reused = final.segmentsReused
      status.note(final.drawing)
    } else {
      let progress = try scheduler.progress(of: row.id) ?? ledger.progress(of: row.id)
      (status.segments, status.framesRendered) = (progress.segments, progress.framesRendered)
      reused = try jobs[row.id]?.segmentsReused ?? ledger.reusedCount(of: row.id)
      status.note(try drawing(of: row))
    }
    status.segmentsReused = reused > 0 ? reused : nil
    status.concealedCount = concealed
    status.waitingFor = scheduler.waiting(of: row.id, at: clock.now())
    status.isFollowing = jobs[row.id]?.isFollowing == true ? true : nil
    status.memoryNeeded = scheduler.memoryNeeded(by: row.id)
    status.position = position(of: row.id)
    guard status.state == .rendering, let frameCount = status.frameCount,
      let speed = jobs[row.id]?.meter.framesPerSecond(at: clock.now())
    else { return status }
    status.framesPerSecond = speed
    guard status.isFollowing == nil else { return status }
    status.secondsRemaining = Double(frameCount - status.framesRendered) / speed
    return status
  }

  /// Some of a job's segments, in order.
  ///
  /// - Parameters:
  ///   - index: return only the segments after this one.
  ///   - limit: the maximum number of segments.
  func segments(
    of id: JobID, after index: Int? = nil, limit: Int, for caller: Caller = .local
  ) throws -> [SegmentStatus] {
    _ = try row(of: id, for: caller)
    return try ledger.segments(of: id, after: index, limit: limit).map { segment in
      var segment = segment
      let running = scheduler.runningAttempts(at: SegmentID(job: id, index: segment.index))
      guard let first = running.first else { return segment }
      segment.framesRendered = running.map(\.framesRendered).max() ?? 0
      segment.worker = scheduler.name(of: first.grant.worker)
      segment.copyWorker = running.dropFirst().first.flatMap {
        scheduler.name(of: $0.grant.worker)
      }
      return segment
    }
  }

  /// Records a job's progress, from which its speed is computed.
  func noteProgress(_ id: JobID) {
    guard let progress = scheduler.progress(of: id) else { return }
    let now = clock.now()
    jobs[id]?.meter.note(progress.framesRendered, at: now)
    announceProgress(of: id, framesRendered: progress.framesRendered)
  }

  /// The location of an asset under a media root, if it is under one.
  func sharedAsset(_ digest: Digest) throws -> SharedAsset? {
    try ledger.sharedAsset(digest)
  }

  /// Records the location of an asset under a media root, after its file was found to match the digest. Workers get it
  /// from there.
  func note(_ asset: SharedAsset) throws {
    guard try ledger.sharedAsset(asset.digest) != asset else { return }
    try ledger.keep([asset])
  }
}
