import CoordinatorSupport
import FarmAPI
import Preparation
import Scheduling
import sheaf_coordinator

extension MemoryLedger {
  func attempts(at segment: SegmentID, limit: Int) -> [RecordedAttempt] {
    let records = records
    let found = records.attempts.filter { $0.grant.segment == segment }
      .sorted { $0.grant.attempt > $1.grant.attempt }
    return found.prefix(limit).map { records.recorded($0, withLog: true) }
  }

  func hasEnded(_ token: LeaseToken) -> Bool? {
    records.attempts.first { $0.grant.token == token }.map { $0.outcome != nil }
  }

  func attempts(
    of job: JobID, after skipped: Int, limit: Int, withLogs hasLogs: Bool
  ) -> [RecordedAttempt] {
    let records = records
    let found = records.attempts.filter { $0.grant.segment.job == job }.sorted {
      ($0.startedAt, $0.grant.segment.index, $0.grant.attempt)
        < ($1.startedAt, $1.grant.segment.index, $1.grant.attempt)
    }
    return found.dropFirst(skipped).prefix(limit).map { records.recorded($0, withLog: hasLogs) }
  }
}

extension MemoryRecords {
  fileprivate func recorded(_ attempt: Attempt, withLog hasLog: Bool) -> RecordedAttempt {
    let segment = attempt.grant.segment
    let frames = jobs[segment.job]?.work.segments[segment.index]?.planned.frames.count ?? 0
    let isWhole = attempt.outcome == "completed" || attempt.outcome == "held"
    return RecordedAttempt(
      token: attempt.grant.token,
      status: SegmentAttempt(
        segment: segment.index, number: attempt.grant.attempt,
        worker: name(of: attempt.grant.worker) ?? "", workerID: attempt.grant.worker.rawValue,
        isCopy: attempt.grant.isCopy ? true : nil, startedAt: attempt.startedAt,
        endedAt: attempt.endedAt, outcome: attempt.outcome,
        framesRendered: isWhole ? frames : attempt.framesRendered, frameCount: frames,
        code: attempt.report?.code, message: attempt.report?.message,
        log: hasLog ? attempt.log : nil))
  }
}
