import Crypto
import FarmAPI
import Scheduling

/// Audits: some delivered chunks are accepted only after another worker has delivered the same bytes.
extension Farm {
  /// Whether to compare a chunk delivered under a lease with another worker's: always if its segment is already under
  /// audit, otherwise at random. The decision is made when the chunk arrives, so workers cannot know it.
  func audits(_ grant: Grant) -> Bool {
    if scheduler.isUnderAudit(grant.segment) { return true }
    guard Double.random(in: 0..<1) < auditShare else { return false }
    if scheduler.canAudit(grant.token) { return true }
    noteUncompared(grant.segment)
    return false
  }

  /// Holds a stored chunk until another worker has delivered the segment too.
  func hold(_ grant: Grant, _ chunk: DeliveredChunk, of caller: Caller) throws {
    try keepDelivery(
      of: grant,
      [
        .chunkHeld(grant, chunk, by: Deliverer(caller), at: clock.date()), logged(grant, .held),
      ])
    counters.chunkBytes += chunk.byteCount
    dispatch(.chunkHeld(grant.token, chunk.sha256))
  }

  /// Ends an audit after the pending actions have been performed.
  func settle(_ segment: SegmentID, _ verdict: AuditVerdict) {
    Task { conclude(segment, verdict) }
  }

  private func conclude(_ segment: SegmentID, _ verdict: AuditVerdict) {
    // The verdict may have been reported twice, or chunks may have been added or dropped since. In that case the
    // scheduler reports a new verdict.
    guard scheduler.auditVerdict(on: segment) == verdict else { return }
    do {
      // The chunk may have been lost on the disk since its delivery.
      if let chunk = verdict.chunk, !chunkStore.contains(chunk) {
        // Losing this chunk must not help the workers that it outvoted.
        for worker in verdict.distrusted {
          distrust(worker, because: reason(verdict, on: segment))
        }
        return try loseHeld(chunk)
      }
      try keep(verdict, on: segment)
    } catch let error as TransitionError where error.cause.isFinal {
      return endRefused(segment.job, error)
    } catch {
      // The scheduler reports the verdict again when it reviews the job's audits.
      log.error(
        "cannot record the result of its audit yet: "
          + "\(error)", .segment(segment))
      return
    }
    if let chunk = verdict.chunk {
      jobs[segment.job]?.chunks?.yield(
        .accepted(AcceptedChunk(segment: segment.index, sha256: chunk)))
    }
    dispatch(.auditSettled(segment, verdict))
    changed(segment.job)
    tell(verdict, on: segment)
    for worker in verdict.distrusted {
      distrust(worker, because: reason(verdict, on: segment))
    }
  }

  private func keep(_ verdict: AuditVerdict, on segment: SegmentID) throws {
    guard let chunk = verdict.chunk, let byteCount = try ledger.byteCount(ofHeld: chunk, segment)
    else { return try write([.heldChunksDropped(segment)]) }
    let kept = keeping(
      chunk, byteCount, of: segment, fingerprint: scheduler.fingerprint(of: segment.job))
    try write([.chunkConfirmed(segment, chunk)] + [kept].compactMap(\.self))
  }

  private func tell(_ verdict: AuditVerdict, on segment: SegmentID) {
    switch verdict {
    case .confirmed(let chunk, let distrusted):
      counters.audits += 1
      counters.chunksAccepted += 1
      guard distrusted.isEmpty else { break }
      log.detail("two workers delivered the same chunk, \(chunk)", .segment(segment))
      return
    case .undecided: counters.audits += 1
    case .uncompared:
      counters.chunksAccepted += 1
      noteUncompared(segment)
      return
    }
    counters.auditsFailed += 1
  }

  private func noteUncompared(_ segment: SegmentID) {
    counters.auditsUncompared += 1
    log.error(
      "its chunk is accepted without an audit: "
        + "no second worker is available", .segment(segment))
  }

  private func reason(_ verdict: AuditVerdict, on segment: SegmentID) -> String {
    let subject = "its chunk of segment \(segment.index) of job \(segment.job)"
    return verdict.chunk == nil
      ? "\(subject) differs from the one that another worker delivered, and no third worker could decide"
      : "\(subject) differs from the one that two other workers delivered"
  }

  /// Drops the chunks of distrusted workers, in case the coordinator stopped before it had done so.
  func forgetDistrusted() throws {
    for worker in try ledger.distrustedWorkers() {
      try forget(ChunkSelection(token: worker.token, worker: worker.name))
    }
  }

  /// Stops leasing to a worker until an operator resumes it, and drops its chunks.
  private func distrust(_ worker: WorkerIdentity, because reason: String) {
    writeLater(.workerDistrusted(worker, reason, at: clock.date()))
    counters.workersDistrusted += 1
    log.error(
      "gets no more leases until it is resumed: \(reason)", ["worker": worker.name])
    dispatch(.workerDistrusted(worker, reason))
    do {
      try forget(ChunkSelection(token: worker.token, worker: worker.name), isNew: true)
    } catch {
      log.error(
        "cannot drop its chunks: \(error): run `sheaf-coordinator forget --worker`",
        ["worker": worker.name])
    }
  }
}
