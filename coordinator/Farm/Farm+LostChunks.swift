import Crypto
import FarmAPI
import Planning
import Preparation
import Scheduling

/// Recovers chunks whose acceptance the ledger has lost, for example in a failover to a standby that lagged behind. The
/// object store still has these chunks, with notes about their deliveries.
extension Farm {
  /// The note to store with the chunk of a lease; `nil` if the ledger or the store is local, if chunks are audited, or
  /// if the chunk conceals damage.
  func note(on grant: Grant, _ manifest: ChunkManifest, of caller: Caller) -> DeliveryNote? {
    guard !chunkStore.isOnDisk, let position = ledger.position,
      auditShare == 0, !scheduler.isUnderAudit(grant.segment), manifest.concealments == nil,
      let plan = jobs[grant.segment.job]?.facts?.hash
    else { return nil }
    return DeliveryNote(
      position: position, grant: grant, deliverer: Deliverer(caller), plan: plan,
      date: clock.date())
  }

  /// The search ends after this many chunks in a row that the ledger has not lost. Chunks are examined newest first, and
  /// a coordinator that is killed leaves only a few others behind.
  private static let recoveryPatience = 100
  /// The search ends after this time. The segments of the chunks that were not examined are rendered again.
  private static let longestRecovery: Duration = .seconds(60)

  /// Accepts the stored chunks whose acceptance the ledger has lost, or never had because the coordinator was killed.
  /// Call it before chunks that must not be used are forgotten.
  func recoverChunks() {
    guard !chunkStore.isOnDisk, auditShare == 0, let position = ledger.position else { return }
    do {
      // Listing the chunks takes long, and most of the time no job needs one.
      guard try ledger.unfinishedJobs().contains(where: { Self.needsChunks($0) }) else { return }
      let workers = Dictionary(
        try ledger.workers().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let chunks = chunkStore.chunks(besides: try ledger.neededChunks())
      var (recovered, othersInARow) = (0, 0)
      defer {
        if recovered > 0 {
          log.info("recovered \(recovered) chunks whose acceptance the ledger did not have")
        }
      }
      let end = clock.now() + Self.longestRecovery
      for chunk in chunks {
        guard othersInARow < Self.recoveryPatience else { return }
        guard clock.now() < end else {
          return log.info("the search for chunks whose acceptance the ledger has lost ended early")
        }
        othersInARow += 1
        guard let note = try chunkStore.note(of: chunk.sha256).flatMap(DeliveryNote.init),
          note.position.ledger == position.ledger
        else { continue }
        if note.position.commits > position.commits { othersInARow = 0 }
        guard let worker = workers[note.grant.worker],
          try recover(chunk, note, by: worker, position)
        else { continue }
        (recovered, othersInARow) = (recovered + 1, 0)
      }
    } catch {
      log.error(
        "the search for chunks whose acceptance the ledger has lost ended early, so their segments "
          + "are rendered again: \(error)")
    }
  }

  /// Whether a job has segments that may need chunks.
  private static func needsChunks(_ job: JobRow) -> Bool {
    [.rendering, .assembling].contains(job.status.state)
  }

  /// Accepts a chunk if its job still has the same plan and encoders, and its segment needs a chunk. Returns whether it
  /// was accepted.
  private func recover(
    _ chunk: DeliveredChunk, _ note: DeliveryNote, by worker: WorkerEntry,
    _ position: LedgerPosition
  ) throws -> Bool {
    let (grant, segment) = (note.grant, note.grant.segment)
    guard let job = try ledger.job(segment.job), job.status.planHash == note.plan,
      Self.needsChunks(job),
      let status = try ledger.segments(of: job.id, after: segment.index - 1, limit: 1).first,
      [.pending, .leased].contains(status.state), status.isUnderAudit != true
    else { return false }
    var transitions: [Transition] = []
    if job.fingerprint != worker.fingerprint {
      guard job.fingerprint == nil else { return false }
      transitions.append(.fingerprintFixed(job.id, worker.fingerprint))
    }
    switch try ledger.hasEnded(grant.token) {
    // The ledger knows what became of the chunk.
    case true?: return false
    case false?: break
    // If the ledger has all commits from before the delivery, it has forgotten the attempt for a reason.
    case nil:
      guard note.position.commits > position.commits else { return false }
      transitions.append(.attemptBegan(grant, at: note.date))
    }
    transitions.append(.chunkAccepted(grant, chunk, by: note.deliverer, at: note.date))
    if let keeping = keeping(
      chunk.sha256, chunk.byteCount, of: segment, fingerprint: worker.fingerprint)
    {
      transitions.append(keeping)
    }
    do {
      try write(transitions)
      return true
    } catch let error where error is TransitionError || RunTries.isPassing(error) {
      log.error("cannot accept a chunk again: \(error)", .segment(segment))
      return false
    }
  }
}
