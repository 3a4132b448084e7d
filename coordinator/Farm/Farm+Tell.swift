import FarmAPI
import Planning
import Preparation
import Scheduling
import Timeline

/// How a worker's wait for a lease ends.
package enum LeaseAnswer: Sendable {
  /// The worker gets a lease.
  case granted(GrantedLease)
  /// No segment became available.
  case nothing
  /// The worker must register.
  case unknownWorker
  /// The coordinator cannot record a lease at the moment.
  case unavailable
}

extension Farm {
  /// Notifies everyone affected by a decision of the scheduler that the ledger has recorded.
  func tell(_ action: Action) {
    switch action {
    case .grant(let request, let grant): tell(grant, to: request)
    case .refuse(let request, let refusal):
      waiters.answer(request, refusal == .unknownWorker ? .unknownWorker : .nothing)
    case .endAttempt(let grant, let outcome): tell(grant, outcome)
    case .finishRendering(let job):
      log.info(
        jobs[job]?.facts?.isProvisional != true
          ? "every segment is rendered" : "everything recorded so far is rendered", .job(job))
      changed(job)
    case .shareChunk(_, let segment): tellShared(segment)
    case .dropChunk(let segment, let attempt):
      counters.chunksRefused += 1
      log.error(
        "rejected the chunk: \(attempt?.report.message ?? "")",
        .segment(segment) + (attempt.map { fields(of: $0.worker) } ?? [:]))
      recountReused(of: segment.job)
      changed(segment.job)
    case .forgetChunk(let segment): changed(segment.job)
    case .settleAudit(let segment, let verdict): settle(segment, verdict)
    case .distrust(let worker): changed(worker)
    case .restartJob(let job):
      counters.jobsRestarted += 1
      log.error(
        "restarting: no remaining worker has the library versions that rendered its "
          + "chunks", .job(job))
      jobs[job]?.chunks?.yield(.restarted)
      recountReused(of: job)
      changed(job)
    case .noteWaiting(let job):
      changed(job)
    case .noteTooLarge(let job):
      log.error(
        "waiting for \(scheduler.waiting(of: job, at: clock.now()) ?? "memory")", .job(job))
      changed(job)
    case .reserve(let worker, let job):
      log.info(
        "reserved for a large segment, which smaller segments have delayed for too long",
        fields(of: worker) + .job(job))
    case .failJob(let segment, let failure):
      log.error("failed: \(failure.code): \(failure.message)", .job(segment.job))
      retire(segment.job)
    case .setAside(let worker, _):
      counters.workersSetAside += 1
      log.error("set aside after repeated failures", fields(of: worker))
      changed(worker)
    case .forgive(let worker):
      log.info("back in service", fields(of: worker))
      changed(worker)
    case .loseWorker(let worker):
      log.info("no heartbeat", fields(of: worker))
      changed(worker)
    case .forgetWorker(let worker):
      log.info("removed after too long without a heartbeat", fields(of: worker))
      workerHosts[worker] = nil
      counters.workersForgotten += 1
      renderMeter.forget(worker)
      removed(worker)
    case .fixFingerprint, .answerHeartbeat, .rejectStale: break
    }
  }

  func recountReused(of job: JobID) {
    if let count = try? ledger.reusedCount(of: job) { jobs[job]?.segmentsReused = count }
  }

  private func tell(_ grant: Grant, to request: RequestID) {
    counters.leasesGranted += 1
    meters.began(grant, after: scheduler.wait(before: grant.token), at: clock.now())
    if grant.isCopy { counters.copiesGranted += 1 }
    renderMeter.begin(grant.token, by: grant.worker)
    changed(grant.segment.job)
    changed(grant.worker)
    attemptNotes.begin(
      grant, by: scheduler.name(of: grant.worker) ?? grant.worker.rawValue, at: clock.date())
    log.detail(
      grant.isCopy ? "leased as a speculative copy of a slow attempt" : "leased",
      fields(of: grant))
    guard waiters.contains(request) else { return }
    waiters.answer(request, lease(grant))
  }

  /// The codec in which a segment is encoded; `nil` if its packets are copied.
  private func encodedCodec(of segment: SegmentID) -> VideoSettings.Codec? {
    guard let job = jobs[segment.job] else { return nil }
    if let kinds = job.segmentKinds?.main, kinds.indices.contains(segment.index),
      kinds[segment.index] == .copied
    {
      return nil
    }
    return job.codec ?? .h264
  }

  private func tell(_ grant: Grant, _ outcome: AttemptOutcome) {
    changed(grant.segment.job)
    changed(grant.worker)
    let isRendered = [.completed, .held].contains(outcome)
    let frames = scheduler.frames(of: grant.segment)?.count
    renderMeter.end(grant.token, rendered: isRendered ? frames : nil, at: clock.now())
    meters.ended(
      grant, outcome, by: scheduler.name(of: grant.worker) ?? grant.worker.rawValue,
      frames: frames ?? 0, of: encodedCodec(of: grant.segment), at: clock.now())
    let log = log.about(fields(of: grant))
    switch outcome {
    case .completed:
      counters.chunksAccepted += 1
      if grant.isCopy { counters.copiesFirst += 1 }
      log.detail("chunk accepted")
    case .held:
      log.detail("chunk held for comparison with a second worker")
    case .failed(let report):
      counters.attemptsFailed += 1
      log.error("attempt failed: \(report.message)", ["code": report.code.rawValue])
    case .expired:
      counters.leasesExpired += 1
      log.error("lease expired: the worker stopped sending heartbeats")
    case .stuck(let report):
      counters.leasesStuck += 1
      log.error("lease withdrawn: \(report.message)", ["code": report.code.rawValue])
    case .heldUp(let length):
      counters.leasesHeldUp += 1
      log.error(
        "lease withdrawn: the worker received too little asset data for "
          + "\(length.components.seconds) s: check the network and any proxy between this worker "
          + "and the coordinator")
    case .superseded:
      counters.leasesSuperseded += 1
      log.detail("delivered after another worker")
    case .givenBack:
      counters.leasesGivenBack += 1
      log.detail("lease given back")
    case .distrusted:
      log.detail("lease withdrawn: the worker is distrusted")
    case .revoked:
      log.detail("lease revoked")
    }
    attemptNotes.end(grant.token)
    noteProgress(grant.segment.job)
  }

  /// The lease's message. The segment's description is read from the plan's file here; it is not kept in memory.
  private func lease(_ grant: Grant) -> LeaseAnswer {
    guard let job = jobs[grant.segment.job], let plan = job.plan else { return .nothing }
    do {
      guard let part = try ledger.planPart(of: grant.segment) else { return .nothing }
      guard let path = try documents.localPath(of: .plan(plan)) else {
        throw JobError.damagedPlan("its file is missing")
      }
      let duration = scheduler.settings.leaseDuration
      let heartbeat = GrantedLease.heartbeatInterval(
        ofWorkers: scheduler.workerCount, lease: duration)
      let lease = GrantedLease(
        token: grant.token,
        terms: LeaseTerms(
          token: grant.token.rawValue, job: grant.segment.job.rawValue,
          segment: grant.segment.index, attempt: grant.attempt,
          durationMilliseconds: Int(duration / .milliseconds(1)),
          heartbeatMilliseconds: Int(heartbeat / .milliseconds(1)),
          memory: scheduler.memory(of: grant.segment),
          assets: try ledger.leasedAssets(of: grant.segment)),
        content: try part.read(from: path))
      return .granted(lease)
    } catch let error as JobError where error.failure.code == .damagedPlan {
      log.error("\(error)", fields(of: grant))
      // Runs after the current message. Several workers may get leases at once.
      let run = job.run?.number
      Task { suspectPlan(of: grant.segment.job, during: run) }
      return .nothing
    } catch let error where RunTries.isPassing(error) {
      log.error("not leased: \(error)", fields(of: grant))
      // Runs after the current message.
      Task { giveBack(grant.token) }
      return .unavailable
    } catch {
      let failure = (error as? JobError)?.failure
      log.error("\(error)", fields(of: grant))
      let id = grant.segment.job
      // Runs after the current message.
      Task {
        fail(
          id, failure ?? JobFailure(code: .coordinator, message: "the job's plan cannot be read"))
      }
      return .nothing
    }
  }
}
