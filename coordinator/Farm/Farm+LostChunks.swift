import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// Chunks whose acceptance the ledger has lost, as in a failover to a standby that lagged behind. Their objects are in
/// the store, with notes of their deliveries.
extension Farm {
  /// The note that is stored with the chunk of a lease; `nil` if none is needed, or if the chunk may not be accepted at
  /// once.
  func note(on grant: Grant, _ manifest: ChunkManifest, of caller: Caller) -> DeliveryNote? {
    guard !chunkStore.isOnDisk, let position = ledger.position,
      auditShare == 0, !scheduler.isUnderAudit(grant.segment), manifest.concealments == nil,
      let plan = jobs[grant.segment.job]?.facts?.hash
    else { return nil }
    return DeliveryNote(
      position: position, grant: grant, deliverer: Deliverer(caller), plan: plan,
      fingerprint: scheduler.fingerprint(of: grant.segment.job))
  }

  /// The number of chunks in a row with nothing to recover after which the search ends. The newest are examined first,
  /// and those that a coordinator left when it was killed are few.
  private static let recoveryPatience = 100
  /// The time after which the search ends. All further segments are rendered again.
  private static let longestRecovery: Duration = .seconds(60)

  /// Accepts the chunks again whose acceptance the ledger has lost.
  ///
  /// A chunk's note states the number of commits of which this ledger had just told its coordinator. If the ledger has
  /// fewer now, it has lost the acceptance, and whatever it recorded about the chunk afterward.
  func recoverChunks() {
    guard !chunkStore.isOnDisk, let position = ledger.position else { return }
    var (count, others) = (0, 0)
    defer {
      if count > 0 { log.info("accepted \(count) chunks again, which the ledger had lost") }
    }
    let end = clock.now() + Self.longestRecovery
    do {
      let workers = Set(try ledger.workers().map(\.id))
      for stray in chunkStore.strays(besides: try ledger.neededChunks()) {
        guard clock.now() < end, others < Self.recoveryPatience else { return }
        guard let note = try chunkStore.note(of: stray.sha256),
          note.position.ledger == position.ledger, note.position.commits > position.commits
        else {
          others += 1
          continue
        }
        others = 0
        if workers.contains(note.grant.worker), try recover(stray, note) { count += 1 }
      }
    } catch {
      log.error("cannot look for chunks that the ledger has lost: \(error)")
    }
  }

  /// Accepts a chunk again if its segment still needs one. Returns whether it does.
  private func recover(_ chunk: DeliveredChunk, _ note: DeliveryNote) throws -> Bool {
    let segment = note.grant.segment
    guard let job = try ledger.job(segment.job), job.status.planHash == note.plan,
      [.rendering, .assembling].contains(job.status.state),
      [.pending, .leased].contains(
        try ledger.segments(of: job.id, after: segment.index - 1, limit: 1).first?.state)
    else { return false }
    var transitions: [Transition] = []
    if let fingerprint = note.fingerprint, job.fingerprint != fingerprint {
      guard job.fingerprint == nil else { return false }
      transitions.append(.fingerprintFixed(job.id, fingerprint))
    }
    let attempt = try ledger.attempts(at: segment, limit: Self.attemptLimit).first {
      $0.token == note.grant.token
    }
    guard attempt?.status.outcome == nil else { return false }
    let date = clock.date()
    if attempt == nil { transitions.append(.attemptBegan(note.grant, at: date)) }
    transitions.append(.chunkAccepted(note.grant, chunk, by: note.deliverer, at: date))
    if let keeping = reuse.keeping(
      chunk.sha256, chunk.byteCount, of: segment, fingerprint: note.fingerprint)
    {
      transitions.append(.chunkKept(segment, keeping.chunk, at: date))
    }
    try write(transitions)
    return true
  }
}
