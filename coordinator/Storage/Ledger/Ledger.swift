import Crypto
import FarmAPI
import Foundation
import Planning
import SQLite
import Scheduling

extension JobState: Storable {}
extension SegmentState: Storable {}

/// What the farm knows for good: one SQLite database, every change one transaction.
///
/// It belongs to the actor ``Farm``, which runs on a thread of its own.
final class Ledger {
  let database: Database

  /// Opens the ledger and brings it to the present schema.
  init(_ location: Database.Location) throws {
    // Nobody else has the ledger: a lock that is held longer is a failure to report, not to wait for.
    do {
      database = try Database(location, busyTimeout: .seconds(1))
      if let problem = try database.problems(.quick).first {
        throw StorageError.damagedLedger(location, problem)
      }
      try Migrator(Migration.ledger).migrate(database)
      try database.checkpoint()
    } catch let error as SQLiteError where error.code == .corrupt || error.code == .notADatabase {
      throw StorageError.damagedLedger(location, error.message)
    }
  }

  /// Opens the ledger of the data directory at `path` to look into it, whether a coordinator runs on it or not.
  ///
  /// - Throws: ``StorageError`` where there is none, or one of another version.
  init(reading path: String) throws {
    let file = DataDirectory.ledger(in: path)
    guard AssetStore.size(file) != nil else {
      throw StorageError(
        .unreadable, "there is no ledger: \(file): name a coordinator's data directory")
    }
    do {
      database = try Database(.file(file), access: .readOnly)
      let version = try database.schemaVersion()
      guard version == Migration.ledger.count else {
        throw StorageError(
          .unreadable,
          "\(file): its schema is version \(version), this program's is "
            + "\(Migration.ledger.count): use the sheaf-coordinator that serves it")
      }
    } catch let error as SQLiteError where error.code == .corrupt || error.code == .notADatabase {
      throw StorageError.damagedLedger(.file(file), error.message)
    }
  }

  /// Leaves everything in the one file, without a log beside it, where the disk allows it.
  func close() {
    try? database.checkpoint()
  }

  /// Writes transitions, all or none.
  func write(_ transitions: [Transition]) throws {
    guard !transitions.isEmpty else { return }
    try database.transaction { for transition in transitions { try write(transition) } }
  }

  /// Writes what changes nothing, to find out whether it can be written.
  func probe() throws {
    try database.transaction {
      try database.execute("PRAGMA user_version = \(Migration.ledger.count)")
    }
  }

  private func write(_ transition: Transition) throws {
    switch transition {
    case .attemptBegan(let grant):
      try update(
        grant.segment, "state = 'leased', attempts = ?3, token = ?4, worker = ?5",
        grant.attempt, grant.token.rawValue, grant.worker.rawValue)
    case .attemptEnded(let grant, let outcome):
      try end(grant, outcome)
    case .chunkAccepted(let grant, let manifest):
      try update(
        grant.segment,
        "state = 'completed', token = ?3, worker = ?4, chunk_sha256 = ?5, chunk_bytes = ?6",
        grant.token.rawValue, grant.worker.rawValue, manifest.sha256.description,
        manifest.byteCount)
    case .chunkDropped(let segment):
      try update(
        segment,
        "state = 'pending', token = NULL, worker = NULL, chunk_sha256 = NULL, chunk_bytes = NULL")
    case .segmentGivenUp(let segment):
      try update(segment, "state = 'failed'")
    case .fingerprintFixed(let job, let fingerprint):
      try database.run(
        "UPDATE jobs SET fingerprint = ?2 WHERE id = ?1", job.rawValue, fingerprint)
    case .workerRegistered(let worker):
      try database.run(
        "INSERT INTO workers (id, name, slots, fingerprint) VALUES (?1, ?2, ?3, ?4)",
        worker.id.rawValue, worker.name, worker.slots, worker.fingerprint)
    case .workerDrained(let worker):
      try database.run("UPDATE workers SET is_draining = 1 WHERE id = ?1", worker.rawValue)
    case .workerForgotten(let worker):
      try database.run("UPDATE workers SET is_forgotten = 1 WHERE id = ?1", worker.rawValue)
    case .jobAdvanced, .soundMixed, .jobFailed, .jobCancelled, .jobCompleted, .jobRetried:
      try writeJob(transition)
    }
  }

  private func writeJob(_ transition: Transition) throws {
    switch transition {
    case .jobAdvanced(let job, let state):
      try database.run("UPDATE jobs SET state = ?2 WHERE id = ?1", job.rawValue, state)
    case .soundMixed(let job, let report):
      try database.run(
        "UPDATE jobs SET loudness = ?2 WHERE id = ?1", job.rawValue, FarmCoding.encode(report))
    case .jobFailed(let job, let failure, let date):
      try database.run(
        """
        UPDATE jobs SET state = 'failed', failure_code = ?2, failure_message = ?3, finished_at = ?4
        WHERE id = ?1
        """, job.rawValue, failure.code, failure.message, date.timeIntervalSince1970)
    case .jobCancelled(let job, let date):
      try database.run(
        "UPDATE jobs SET state = 'cancelled', finished_at = ?2 WHERE id = ?1", job.rawValue,
        date.timeIntervalSince1970)
    case .jobCompleted(let job, let output, let date):
      try database.run(
        """
        UPDATE jobs SET state = 'completed', output_name = ?2, output_bytes = ?3,
          output_sha256 = ?4, finished_at = ?5 WHERE id = ?1
        """, job.rawValue, output.fileName, output.byteCount, output.sha256.description,
        date.timeIntervalSince1970)
    case .jobRetried(let job):
      try retry(job)
    default: break
    }
  }

  private func update(_ segment: SegmentID, _ columns: String, _ values: any Storable...) throws {
    let key: [any Storable] = [segment.job.rawValue, segment.index]
    try database.run(
      "UPDATE segments SET \(columns) WHERE job = ?1 AND number = ?2", bind: key + values)
  }

  private func end(_ grant: Grant, _ outcome: AttemptOutcome) throws {
    switch outcome {
    case .completed: return
    case .expired: try update(grant.segment, "state = 'pending', expiries = expiries + 1")
    case .givenBack, .revoked: try update(grant.segment, "state = 'pending'")
    case .failed(let report):
      try update(grant.segment, "state = 'pending'")
      try database.run(
        """
        INSERT INTO failures (job, segment, attempt, worker, code, message, is_permanent)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """, grant.segment.job.rawValue, grant.segment.index, grant.attempt,
        grant.worker.rawValue, report.code, report.message, report.isPermanent)
    }
  }

  private func retry(_ job: JobID) throws {
    try database.run(
      """
      UPDATE jobs SET state = 'queued', failure_code = NULL, failure_message = NULL,
        finished_at = NULL WHERE id = ?1
      """, job.rawValue)
    try database.run(
      """
      UPDATE segments SET state = 'pending', expiries = 0 WHERE job = ?1 AND state <> 'completed'
      """, job.rawValue)
    try database.run("DELETE FROM failures WHERE job = ?1", job.rawValue)
  }
}
