import Crypto
import FarmAPI
import Foundation
import Planning
import SQL
import Scheduling
import Timeline

extension JobState: Storable {}
extension SegmentState: Storable {}

/// The farm's permanent state: a database in which every change is one transaction.
///
/// It belongs to the actor ``Farm``, which runs on its own thread.
package final class Ledger {
  let database: any LedgerDatabase
  /// The data directory, whose path submitters do not see in messages.
  private let data: String?

  init(_ database: any LedgerDatabase, data: String?) {
    self.database = database
    self.data = data
  }

  package var snapshot: (any LedgerSnapshot)? { database.snapshot }

  package var losses: AsyncStream<String>? { database.losses }

  package var isOwned: @Sendable () -> Bool { database.isOwned }

  package var position: LedgerPosition? { database.position }

  package func close() { database.close() }

  /// The problems in the ledger's database, one line each.
  func problems() throws -> [String] { try database.problems() }

  /// Writes all transitions, or none.
  ///
  /// - Throws: ``TransitionError`` if one of them is refused; ``LedgerError`` if all are.
  package func write(_ transitions: [Transition]) throws {
    guard !transitions.isEmpty else { return }
    do {
      try database.transaction { for transition in transitions { try write(transition) } }
    } catch let error as LedgerError where !error.isPassing && !error.endsService {
      // A statement may have failed after the statements of later transitions had been sent. Nothing was written, so each
      // transition is now written alone, to find the one that is refused.
      try database.transaction {
        for (index, transition) in transitions.enumerated() {
          do {
            try write(transition)
            try database.flush()
          } catch let error as LedgerError {
            throw TransitionError(index: index, cause: error)
          }
        }
      }
    }
  }

  /// Makes a write that changes nothing, to find out whether the ledger can be written.
  package func probe() throws { try database.probe() }

  package var isRemote: Bool { database.isRemote }

  private func write(_ transition: Transition) throws {
    switch transition {
    case .attemptBegan(let grant, let date): try begin(grant, at: date)
    case .attemptEnded(let grant, let outcome, let frames, let date):
      try end(grant, outcome, framesRendered: frames, at: date)
    case .attemptLogged(let grant, let log): try keep(log, of: grant)
    case .chunkAccepted(let grant, let chunk, let deliverer, let date):
      try noteDelivery(of: chunk.sha256, under: grant, by: deliverer, at: date)
      try update(
        grant.segment,
        """
        state = 'completed', worker = ?3, chunk_sha256 = ?4, chunk_bytes = ?5,
          delivery = \(latestDelivery(of: "?4"))
        """, grant.worker.rawValue, chunk.sha256.description, chunk.byteCount)
      try keep(chunk.concealments, of: chunk.sha256)
      try countConcealed(in: grant.segment)
      try database.run(
        """
        UPDATE attempts SET outcome = CASE token WHEN ?3 THEN 'completed' ELSE 'superseded' END, ended_at = ?4
        WHERE job = ?1 AND segment = ?2 AND (outcome IS NULL OR token = ?3)
        """, grant.segment.job.rawValue, grant.segment.index, grant.token.rawValue,
        date.timeIntervalSince1970)
    case .chunkHeld(let grant, let chunk, let deliverer, let date):
      try hold(chunk, under: grant, by: deliverer, at: date)
      try end(grant, .held, framesRendered: nil, at: date)
    case .chunkConfirmed(let segment, let chunk): try confirm(chunk, of: segment)
    case .heldChunksDropped(let segment): try dropHeld(of: segment)
    case .heldChunkDropped(let segment, let worker): try dropHeld(of: segment, by: worker)
    case .chunkReused(let segment, let chunk, let date):
      try update(
        segment,
        """
        state = 'completed', worker = NULL, chunk_sha256 = ?3, chunk_bytes = ?4,
          delivery = (SELECT delivery FROM kept_chunks WHERE content_key = ?5)
        """, chunk.sha256.description, chunk.byteCount, chunk.key.description)
      try countConcealed(in: segment)
      try keep(chunk, at: date)
    case .chunkKept(let segment, let chunk, let date): try keep(chunk, of: segment, at: date)
    case .keptChunksForgotten(let keys):
      for key in keys { try database.run("DELETE FROM kept_chunks WHERE content_key = ?1", key) }
    case .chunkDropped(let segment):
      try drop(segment)
      try resumeRendering(segment.job)
    case .chunkRefused(let segment, let attempt):
      try drop(segment)
      if let attempt {
        try keep(attempt.report, of: attempt.worker, on: segment)
      } else {
        try update(segment, "expiries = expiries + 1")
      }
      try resumeRendering(segment.job)
    case .segmentGivenUp(let segment):
      try update(segment, "state = 'failed'")
    case .fingerprintFixed(let job, let fingerprint):
      try database.run(
        "UPDATE jobs SET fingerprint = ?2 WHERE id = ?1", job.rawValue, fingerprint)
    case .notificationQueued(let notification): try queue(notification)
    case .notificationTried(let id, let outcome): try note(outcome, of: id)
    case .workerRegistered(let worker):
      try database.run(
        """
        INSERT INTO workers (
          id, name, slots, fingerprint, token, memory, host, cores, version, pools, priority)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """, worker.id.rawValue, worker.name, worker.slots, worker.fingerprint, worker.token,
        worker.memory, worker.host, worker.cores, worker.version,
        worker.pools.map(\.description).sorted().joined(separator: " "), worker.priority)
    case .workerDrained(let worker):
      try database.run("UPDATE workers SET is_draining = 1 WHERE id = ?1", worker.rawValue)
    case .workerDistrusted(let worker, let reason, let date):
      try distrust(worker, reason, at: date)
    case .workerResumed(let worker):
      try database.run("UPDATE workers SET is_draining = 0 WHERE id = ?1", worker.id.rawValue)
      try trust(worker.identity)
    case .workerForgotten(let worker):
      try database.run("UPDATE workers SET is_forgotten = 1 WHERE id = ?1", worker.rawValue)
    case .jobAdvanced, .soundMixed, .jobFailed, .jobCancelled, .jobCompleted, .jobRetried,
      .jobRestarted, .jobPrioritized, .jobDeleted, .outputLost, .outputRecovered, .outputDeleted,
      .lostOutputForgotten:
      try writeJob(transition)
    case .recording(let id, let change): try write(change, of: id)
    }
  }

  /// Changes columns of a segment.
  func update(_ segment: SegmentID, _ columns: String, _ values: any Storable...) throws {
    let key: [any Storable] = [segment.job.rawValue, segment.index]
    try database.run(
      "UPDATE segments SET \(columns) WHERE job = ?1 AND number = ?2", bind: key + values)
  }

  /// The message of a failure in the form in which it is stored. Submitters can read it.
  func shown(_ message: String) -> String {
    PublicMessage.forSubmitters(message, data: data).shortened(toBytes: JobFailure.longestMessage)
  }
}
