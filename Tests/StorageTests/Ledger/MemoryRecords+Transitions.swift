import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import Scheduling
import sheaf_coordinator

extension MemoryRecords {
  /// Throws the error of a change that refers to something unknown.
  private func require(_ condition: Bool, _ problem: String) throws(LedgerError) {
    guard condition else { throw LedgerError(.final, problem) }
  }

  private func require(_ worker: WorkerID) throws(LedgerError) {
    try require(workers.contains { $0.entry.id == worker }, "there is no worker \(worker)")
  }

  private func require(_ segment: SegmentID) throws(LedgerError) {
    try require(
      jobs[segment.job]?.work.segments[segment.index] != nil, "there is no segment \(segment)")
  }

  /// Makes a change, or throws if it is invalid. The records may then be changed in part.
  mutating func apply(_ transition: Transition) throws(LedgerError) {
    switch transition {
    case .attemptBegan(let grant, let date):
      try require(grant.worker)
      try require(grant.segment)
      try require(
        !attempts.contains { $0.grant.token == grant.token }, "there is a lease \(grant.token)")
      attempts.append(Attempt(grant: grant, startedAt: date))
      if jobs[grant.segment.job]?.startedAt == nil { jobs[grant.segment.job]?.startedAt = date }
      update(grant.segment) {
        ($0.state, $0.attempts, $0.worker) = (.leased, grant.attempt, grant.worker)
      }
    case .attemptEnded(let grant, let outcome, let frames, let date):
      end(grant, outcome, framesRendered: frames, at: date)
    case .attemptLogged(let grant, let log):
      for index in attempts.indices where attempts[index].grant.token == grant.token {
        attempts[index].log = Self.shown(log)
      }
    case .chunkAccepted(let grant, let chunk, let deliverer, let date):
      let delivery = try note(chunk, under: grant, by: deliverer, at: date)
      update(grant.segment) {
        ($0.state, $0.worker) = (.completed, grant.worker)
        $0.chunk = Chunk(sha256: chunk.sha256, byteCount: chunk.byteCount, delivery: delivery)
      }
      endAttempts(as: "superseded", at: date) {
        $0.segment == grant.segment && $0.token != grant.token
      }
      endAttempts(as: "completed", at: date) { $0.token == grant.token }
    case .chunkHeld(let grant, let chunk, let deliverer, let date):
      try require(grant.segment)
      let delivery = try note(chunk, under: grant, by: deliverer, at: date)
      held.append(
        Held(
          grant: grant,
          chunk: Chunk(sha256: chunk.sha256, byteCount: chunk.byteCount, delivery: delivery),
          delivery: delivery))
      end(grant, .held, framesRendered: nil, at: date)
    case .chunkConfirmed(let segment, let sha256):
      let confirmed = held.first { $0.grant.segment == segment && $0.chunk.sha256 == sha256 }
      guard let confirmed else { throw LedgerError(.final, "the chunk is not held: \(sha256)") }
      update(segment) {
        ($0.state, $0.worker) = (.completed, confirmed.grant.worker)
        $0.chunk = confirmed.chunk
      }
      endAttempts(as: "superseded") { $0.segment == segment }
      held.removeAll { $0.grant.segment == segment }
    case .heldChunksDropped(let segment): held.removeAll { $0.grant.segment == segment }
    case .heldChunkDropped(let segment, let worker):
      held.removeAll { $0.grant.segment == segment && $0.grant.worker == worker }
    case .chunkReused(let segment, let chunk, let date):
      let delivery = kept[chunk.key]?.delivery
      update(segment) {
        ($0.state, $0.worker) = (.completed, nil)
        $0.chunk = Chunk(sha256: chunk.sha256, byteCount: chunk.byteCount, delivery: delivery)
      }
      keep(chunk, at: date)
    case .chunkKept(let segment, let chunk, let date):
      keep(chunk, at: date)
      kept[chunk.key]?.delivery = jobs[segment.job]?.work.segments[segment.index]?.chunk?.delivery
    case .keptChunksForgotten(let keys):
      for key in keys.compactMap({ Digest(hex: $0) }) { kept[key] = nil }
    case .chunkDropped(let segment): drop(segment)
    case .chunkRefused(let segment, let attempt):
      drop(segment)
      if let attempt {
        try require(attempt.worker)
        note(attempt.report, of: attempt.worker, on: segment)
      } else {
        update(segment) { $0.expiries += 1 }
      }
    case .segmentGivenUp(let segment): update(segment) { $0.state = .failed }
    case .fingerprintFixed(let job, let fingerprint): jobs[job]?.work.fingerprint = fingerprint
    case .notificationQueued(let notification):
      let state = jobs[notification.job]?.state
      guard let state, notification.jobState.map({ $0 == state }) ?? true else { break }
      notifications.append(notification)
    case .notificationTried(let id, let outcome):
      for index in notifications.indices where notifications[index].id == id {
        if notifications[index].state == .pending { notifications[index].note(outcome) }
      }
    case .workerRegistered(let worker):
      try require(
        !workers.contains { $0.entry.id == worker.id }, "there is a worker \(worker.id)")
      workers.append(Worker(entry: worker))
    case .workerDrained(let id): update(id) { $0.entry.isDraining = true }
    case .workerForgotten(let id): update(id) { $0.isForgotten = true }
    case .recording(let id, let change): apply(change, toRecording: id)
    case .workerDistrusted(let worker, let reason, at: _):
      distrusted.removeAll { $0.worker == worker }
      distrusted.append(Distrust(worker: worker, reason: reason))
    case .workerResumed(let worker):
      update(worker.id) { $0.entry.isDraining = false }
      distrusted.removeAll { $0.worker == worker.identity }
    case .jobAdvanced, .soundMixed, .jobFailed, .jobCancelled, .jobCompleted, .jobRetried,
      .jobRestarted, .jobPrioritized, .jobDeleted, .outputLost, .outputRecovered, .outputDeleted,
      .lostOutputForgotten:
      applyToJob(transition)
    }
  }

  private mutating func update(_ id: WorkerID, _ change: (inout Worker) -> Void) {
    for index in workers.indices where workers[index].entry.id == id { change(&workers[index]) }
  }

  // MARK: Attempts and chunks

  /// Records a delivery and returns its number.
  private mutating func note(
    _ chunk: DeliveredChunk, under grant: Grant, by deliverer: Deliverer, at date: Date
  ) throws(LedgerError) -> Int {
    try require(grant.worker)
    deliveryCount += 1
    deliveries[deliveryCount] = Delivery(
      sha256: chunk.sha256, grant: grant, deliverer: deliverer, date: date)
    if let found = chunk.concealments { concealments[chunk.sha256] = found }
    return deliveryCount
  }

  private mutating func note(_ report: FailureReport, of worker: WorkerID, on segment: SegmentID) {
    let report = FailureReport(
      code: report.code, message: Self.shown(report.message), isPermanent: report.isPermanent)
    jobs[segment.job]?.failures.append(
      Failure(segment: segment.index, worker: worker, report: report))
  }

  /// The message of a failure as submitters may read it.
  static func shown(_ message: String) -> String {
    PublicMessage.forSubmitters(message, data: nil)
  }

  /// Ends running attempts.
  mutating func endAttempts(
    as outcome: String, at date: Date? = nil, where isEnded: (Grant) -> Bool
  ) {
    for index in attempts.indices
    where attempts[index].isRunning && isEnded(attempts[index].grant) {
      attempts[index].outcome = outcome
      attempts[index].endedAt = date
    }
  }

  private mutating func end(
    _ grant: Grant, _ outcome: AttemptOutcome, framesRendered: Int?, at date: Date
  ) {
    for index in attempts.indices where attempts[index].grant.token == grant.token {
      attempts[index].outcome = outcome.name
      attempts[index].endedAt = date
      attempts[index].framesRendered = framesRendered
      attempts[index].report = outcome.report.map {
        FailureReport(
          code: $0.code, message: Self.shown($0.message), isPermanent: $0.isPermanent)
      }
    }
    if !attempts.contains(where: { $0.isRunning && $0.grant.segment == grant.segment }) {
      update(grant.segment) { if $0.state == .leased { $0.state = .pending } }
    }
    switch outcome {
    case .completed, .held, .heldUp, .givenBack, .revoked, .distrusted, .superseded: break
    case .expired: update(grant.segment) { $0.expiries += 1 }
    case .failed(let report), .stuck(let report):
      note(report, of: grant.worker, on: grant.segment)
    }
  }

  private mutating func drop(_ segment: SegmentID) {
    if let chunk = jobs[segment.job]?.work.segments[segment.index]?.chunk {
      kept = kept.filter { $0.value.chunk.sha256 != chunk.sha256 }
    }
    update(segment) { $0.reset() }
    if jobs[segment.job]?.state == .assembling { jobs[segment.job]?.state = .rendering }
  }

  private mutating func keep(_ chunk: KeptChunk, at date: Date) {
    kept[chunk.key] = Kept(chunk: chunk, usedAt: date, delivery: kept[chunk.key]?.delivery)
  }
}
