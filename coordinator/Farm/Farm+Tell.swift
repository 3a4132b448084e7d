import FarmAPI
import Planning
import Preparation
import Scheduling

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
      log.info("job \(job): every segment is rendered")
      changed(job)
    case .shareChunk(_, let segment): tellShared(segment)
    case .dropChunk(let segment, let attempt):
      counters.chunksRefused += 1
      log.error(
        "job \(segment.job): segment \(segment.index): rejected the chunk from worker "
          + "\(attempt?.worker.rawValue ?? "unknown"): \(attempt?.report.message ?? "")")
      recountReused(of: segment.job)
      changed(segment.job)
    case .forgetChunk(let segment): changed(segment.job)
    case .settleAudit(let segment, let verdict): settle(segment, verdict)
    case .distrust(let worker): changed(worker)
    case .restartJob(let job):
      counters.jobsRestarted += 1
      log.error(
        "job \(job): restarting: no remaining worker has the library versions that rendered its "
          + "chunks")
      jobs[job]?.chunks?.yield(.restarted)
      recountReused(of: job)
      changed(job)
    case .noteWaiting(let job):
      changed(job)
    case .noteTooLarge(let job):
      log.error(
        "job \(job): waiting for \(scheduler.waiting(of: job, at: clock.now()) ?? "memory")")
      changed(job)
    case .reserve(let worker, let job):
      log.info(
        "worker \(worker): reserved for a large segment of job \(job), which smaller segments have "
          + "delayed for too long")
    case .failJob(let segment, let failure):
      log.error("job \(segment.job) failed: \(failure.code): \(failure.message)")
      retire(segment.job)
    case .setAside(let worker, _):
      counters.workersSetAside += 1
      log.error("worker \(worker): set aside after repeated failures")
      changed(worker)
    case .forgive(let worker):
      log.info("worker \(worker): back in service")
      changed(worker)
    case .loseWorker(let worker):
      log.info("worker \(worker): no heartbeat")
      changed(worker)
    case .forgetWorker(let worker):
      log.info("worker \(worker): removed after too long without a heartbeat")
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
    if grant.isCopy { counters.copiesGranted += 1 }
    renderMeter.begin(grant.token, by: grant.worker)
    changed(grant.segment.job)
    changed(grant.worker)
    attemptNotes.begin(
      grant, by: scheduler.name(of: grant.worker) ?? grant.worker.rawValue, at: clock.date())
    log.detail(
      "job \(grant.segment.job): segment \(grant.segment.index): attempt \(grant.attempt) "
        + "by worker \(grant.worker)\(grant.isCopy ? ", a speculative copy of a slow attempt" : "")"
    )
    guard waiters.contains(request) else { return }
    waiters.answer(request, lease(grant))
  }

  private func tell(_ grant: Grant, _ outcome: AttemptOutcome) {
    changed(grant.segment.job)
    changed(grant.worker)
    let isRendered = [.completed, .held].contains(outcome)
    let frames = isRendered ? scheduler.frames(of: grant.segment)?.count : nil
    renderMeter.end(grant.token, rendered: frames, at: clock.now())
    let attempt = "job \(grant.segment.job): segment \(grant.segment.index)"
    switch outcome {
    case .completed:
      counters.chunksAccepted += 1
      if grant.isCopy { counters.copiesFirst += 1 }
      log.detail("\(attempt): chunk from worker \(grant.worker) accepted")
    case .held:
      log.detail(
        "\(attempt): chunk from worker \(grant.worker) held for comparison with a second worker")
    case .failed(let report):
      counters.attemptsFailed += 1
      log.error("\(attempt): worker \(grant.worker): \(report.code): \(report.message)")
    case .expired:
      counters.leasesExpired += 1
      log.error("\(attempt): worker \(grant.worker) stopped sending heartbeats: lease expired")
    case .stuck(let report):
      counters.leasesStuck += 1
      log.error("\(attempt): worker \(grant.worker): \(report.message)")
    case .heldUp(let length):
      counters.leasesHeldUp += 1
      log.error(
        "\(attempt): worker \(grant.worker) received too little asset data for "
          + "\(length.components.seconds) s: lease withdrawn: check the network and any proxy "
          + "between this worker and the coordinator")
    case .superseded:
      counters.leasesSuperseded += 1
      log.detail("\(attempt): worker \(grant.worker) delivered after another worker")
    case .givenBack:
      counters.leasesGivenBack += 1
      log.detail("\(attempt): worker \(grant.worker) gave back its lease")
    case .distrusted:
      log.detail("\(attempt): lease of worker \(grant.worker) withdrawn: the worker is distrusted")
    case .revoked:
      log.detail("\(attempt): lease of worker \(grant.worker) revoked")
    }
    attemptNotes.end(grant.token)
    noteProgress(grant.segment.job)
  }

  /// The lease's message. The segment's description is read from the plan's file here; it is not kept in memory.
  private func lease(_ grant: Grant) -> LeaseAnswer {
    guard let job = jobs[grant.segment.job], let path = job.planPath else { return .nothing }
    do {
      guard let part = try ledger.planPart(of: grant.segment) else { return .nothing }
      let lease = GrantedLease(
        token: grant.token,
        terms: LeaseTerms(
          token: grant.token.rawValue, job: grant.segment.job.rawValue,
          segment: grant.segment.index, attempt: grant.attempt,
          durationMilliseconds: Int(scheduler.settings.leaseDuration / .milliseconds(1)),
          memory: scheduler.memory(of: grant.segment),
          assets: try ledger.leasedAssets(of: grant.segment)),
        content: try part.read(from: path))
      return .granted(lease)
    } catch let error as JobError where error.failure.code == .damagedPlan {
      log.error("job \(grant.segment.job): segment \(grant.segment.index): \(error)")
      // Runs after the current message. Several workers may get leases at once.
      let run = job.run?.number
      Task { suspectPlan(of: grant.segment.job, during: run) }
      return .nothing
    } catch let error where RunTries.isPassing(error) {
      log.error("job \(grant.segment.job): segment \(grant.segment.index): not leased: \(error)")
      // Runs after the current message.
      Task { giveBack(grant.token) }
      return .unavailable
    } catch {
      let failure = (error as? JobError)?.failure
      log.error("job \(grant.segment.job): segment \(grant.segment.index): \(error)")
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
