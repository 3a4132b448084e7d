import CoordinatorSupport
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling
import Timeline
import sheaf_coordinator

extension MemoryRecords {
  /// Applies a transition of a job. Does nothing if there is no such job.
  mutating func applyToJob(_ transition: Transition) {
    guard let id = transition.changedJob, let job = jobs[id] else { return }
    switch transition {
    case .jobAdvanced(_, let state): jobs[id]?.state = state
    case .jobPrioritized(_, let priority): jobs[id]?.priority = priority
    case .jobDeleted:
      removeSegments(of: id)
      jobs[id] = nil
    case .soundMixed(_, let report, let concealed):
      jobs[id]?.work.loudness = report
      jobs[id]?.work.sound = concealed
    case .jobFailed(_, let failure, let date):
      fail(id, failure, at: date)
      end(id)
    case .jobCancelled(_, let date):
      jobs[id]?.state = .cancelled
      jobs[id]?.finishedAt = date
      end(id)
    case .jobCompleted(_, let output, let date):
      jobs[id]?.state = .completed
      jobs[id]?.output = output
      jobs[id]?.finishedAt = date
      jobs[id]?.lost = nil
      keepProgress(of: id)
    case .outputLost(_, let failure, let date):
      if job.state == .completed { fail(id, failure, at: date) }
    case .outputDeleted(_, let deletion):
      guard job.state == .completed, job.output != nil else { return }
      jobs[id]?.output = nil
      jobs[id]?.outputDeletion = deletion
    case .outputRecovered(_, let digest):
      guard row(of: job).lostOutput?.sha256 == digest else { return }
      if let lost = job.lost {
        removeSegments(of: id)
        jobs[id]?.work = lost
        jobs[id]?.lost = nil
      }
      jobs[id]?.state = .completed
      jobs[id]?.failure = nil
    case .lostOutputForgotten: jobs[id]?.lost = nil
    case .jobRetried:
      if job.lost == nil, isTrusted(row(of: job)) { jobs[id]?.lost = job.work }
      retry(id)
    case .jobRestarted:
      held.removeAll { $0.grant.segment.job == id }
      jobs[id]?.state = .rendering
      jobs[id]?.work.fingerprint = nil
      renderAgain(id) { segment in
        segment.reset()
        segment.expiries = 0
      }
    default: break
    }
  }

  private mutating func fail(_ id: JobID, _ failure: JobFailure, at date: Date) {
    jobs[id]?.state = .failed
    jobs[id]?.failure =
      JobFailure(code: failure.code, message: Self.shown(failure.message)).shortened
    jobs[id]?.finishedAt = date
  }

  private mutating func end(_ id: JobID) {
    held.removeAll { $0.grant.segment.job == id }
    keepProgress(of: id)
  }

  private mutating func retry(_ id: JobID) {
    jobs[id]?.state = .queued
    jobs[id]?.failure = nil
    jobs[id]?.finishedAt = nil
    jobs[id]?.work.finalProgress = nil
    jobs[id]?.planningTries = 0
    renderAgain(id) { segment in
      guard segment.state != .completed else { return }
      segment.state = .pending
      segment.expiries = 0
    }
  }

  private mutating func renderAgain(_ id: JobID, _ change: (inout Segment) -> Void) {
    for number in jobs[id]?.work.segments.keys.sorted() ?? [] {
      update(SegmentID(job: id, index: number), change)
    }
    endAttempts(as: "revoked") { $0.segment.job == id }
    jobs[id]?.failures = []
  }

  private mutating func keepProgress(of id: JobID) {
    guard let job = jobs[id] else { return }
    var progress = progress(of: job)
    // Its leases end with it.
    progress.segments.pending += progress.segments.leased
    progress.segments.leased = 0
    let reused = reusedCount(of: job)
    let drawing = drawing(of: job)
    jobs[id]?.work.finalProgress = FinalProgress(
      segments: progress.segments, framesRendered: progress.framesRendered,
      segmentsReused: reused, drawing: drawing)
  }

  // MARK: Reading

  func progress(of job: Job?) -> JobProgress {
    var progress = JobProgress(segments: SegmentCounts(), framesRendered: 0)
    for segment in job?.work.segments.values ?? [:].values {
      switch segment.state {
      case .pending: progress.segments.pending += 1
      case .leased: progress.segments.leased += 1
      case .failed: progress.segments.failed += 1
      case .completed:
        progress.segments.completed += 1
        progress.framesRendered += segment.planned.frames.count
      }
    }
    return progress
  }

  func reusedCount(of job: Job?) -> Int {
    job?.work.segments.values.count { $0.state == .completed && $0.worker == nil } ?? 0
  }

  func drawing(of job: Job?) -> SegmentDrawing? {
    SegmentDrawing(
      (job?.work.ordered ?? []).map { _, segment in
        let isOver = job?.state.isFinal == true
        return SegmentDrawing.Part(
          frameCount: segment.planned.frames.count,
          state: isOver && segment.state == .leased ? .pending : segment.state,
          method: segment.planned.method,
          isReused: segment.state == .completed && segment.worker == nil)
      })
  }

  func row(of job: Job) -> JobRow {
    let plan = job.work.plan
    var status = JobStatus(
      id: job.id.rawValue, name: job.submission.name, submitter: job.submitter, state: job.state,
      createdAt: job.createdAt, finishedAt: job.finishedAt, planHash: plan?.hash,
      frameCount: plan?.frameCount, frameDuration: plan?.frameDuration.seconds,
      frameRate: plan?.frameRate, failure: job.failure, loudness: job.work.loudness)
    if job.priority != 0 { status.priority = job.priority }
    status.startedAt = job.startedAt
    status.outputDeletion = job.outputDeletion
    return JobRow(
      id: job.id, number: job.number, fingerprint: job.work.fingerprint, status: status,
      output: job.output, hasRecord: job.lost != nil, finalProgress: job.work.finalProgress,
      limitsText: try? FarmCoding.encode(job.limits))
  }

  /// Whether the lost file of a job contains only chunks that have not been dropped since.
  func isTrusted(_ row: JobRow) -> Bool {
    guard row.lostOutput != nil else { return false }
    return row.hasRecord
      || progress(of: jobs[row.id]).segments.completed == row.finalProgress?.segments.completed
  }
}

extension Transition {
  /// The job that a transition of an entire job changes.
  fileprivate var changedJob: JobID? {
    switch self {
    case .jobAdvanced(let job, _), .soundMixed(let job, _, concealing: _),
      .jobFailed(let job, _, at: _), .jobCancelled(let job, at: _),
      .jobCompleted(let job, _, at: _), .jobRetried(let job), .jobRestarted(let job),
      .jobPrioritized(let job, _), .jobDeleted(let job),
      .outputLost(let job, _, at: _), .outputRecovered(let job, _),
      .outputDeleted(let job, _), .lostOutputForgotten(let job):
      job
    default: nil
    }
  }
}
