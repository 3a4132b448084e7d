import Crypto
import FarmAPI
import Foundation
import Planning
import Processes
import SQLite
import Scheduling
import Timeline

extension JobState: Storable {}
extension SegmentState: Storable {}

/// The farm's permanent state: an SQLite database in which every change is one transaction.
///
/// It belongs to the actor ``Farm``, which runs on its own thread. Commits write only to the log; another thread merges
/// the log into the database.
package final class Ledger {
  package enum Location: Hashable, Sendable {
    /// In a file, which is created if it is missing.
    case file(String)
    /// In memory, for as long as it is open.
    case memory
  }

  let database: LedgerDatabase
  /// The temporary copy that is read if the ledger could not be read in place.
  private let copy: LedgerCopy?

  /// Opens the ledger, migrates it to the current schema, and tests it. A ledger that fails the test is not changed.
  ///
  /// - Parameter isDurable: whether commits wait for the disk.
  package init(_ location: Location, isDurable: Bool = true) throws {
    copy = nil
    if case .file(let path) = location { try LedgerLog.assure(of: path) }
    do {
      // No other process uses the ledger, so a lock that is held longer is reported as a failure.
      let connection = try Database(
        location.inSQLite, startsLog: false, isDurable: isDurable, busyTimeout: .seconds(1))
      try Self.prepare(connection)
      try connection.startLog()
      // On a full disk, the log keeps its size.
      try? connection.checkpoint()
      connection.mergeLogOnOwnThread()
      database = LedgerDatabase(connection: connection)
    } catch let damage as LedgerDamage {
      throw StorageError.damagedLedger(location, damage.problem)
    } catch let error as SQLiteError {
      throw Self.openingError(LedgerError(error), location)
    }
  }

  private static func openingError(
    _ error: LedgerError, _ location: Location
  ) -> any Error {
    if error.isDamage { return StorageError.damagedLedger(location, error.message) }
    return error.isPassing ? StorageError.closedLedger(location, error.message) : error
  }

  /// The connection to the ledger's database.
  package var connection: Database { database.connection }

  /// Opens the ledger of the data directory at `path` for reading, whether or not a coordinator is using it.
  ///
  /// A ledger with an older schema, or with a log on a disk that cannot be written, is read from a copy.
  ///
  /// - Throws: ``StorageError`` if there is no ledger, it cannot be read, or a newer program wrote it.
  package init(reading path: String) throws {
    TemporaryFolder.sweep(.ledger)
    let file = DataDirectory.ledger(in: path)
    guard FileFacts.byteCount(at: file) != nil else {
      throw StorageError(
        .unreadable, "there is no ledger: \(file): specify a coordinator's data directory")
    }
    try LedgerLog.assure(of: file)
    do {
      if let connection = try Self.openInPlace(file) {
        (database, copy) = (LedgerDatabase(connection: connection), nil)
      } else {
        let copy = try LedgerCopy(of: file, in: path)
        self.copy = copy
        let connection = try Database(.file(copy.path), startsLog: false)
        try Migrator(Migration.ledger).migrate(connection)
        database = LedgerDatabase(connection: connection)
      }
    } catch let error as SQLiteError {
      let error = LedgerError(error)
      guard error.isDamage else { throw error }
      throw StorageError.damagedLedger(.file(file), error.message)
    }
  }

  /// Opens a second, reading connection to the ledger at `path`, which this process already has open.
  ///
  /// It must not read the file in any other way: closing a file releases the POSIX locks that SQLite holds on it for
  /// the first connection.
  init(besideWriterOf path: String) throws {
    copy = nil
    do throws(SQLiteError) {
      database = LedgerDatabase(connection: try Database(.file(path), access: .readOnly))
    } catch {
      throw LedgerError(error)
    }
  }

  /// Runs `body`, which sees the ledger as it is at the first query, regardless of what other connections write.
  func snapshot<Value>(_ body: () throws -> Value) throws -> Value {
    try database.execute("BEGIN")
    defer { try? database.execute("COMMIT") }
    return try body()
  }

  /// A connection that reads the ledger in place, or `nil` if that is impossible or its schema is older.
  private static func openInPlace(_ file: String) throws -> Database? {
    do {
      let database = try Database(.file(file), access: .readOnly)
      let version = try database.schemaVersion()
      guard version <= Migration.ledger.count else {
        throw StorageError(
          .unreadable,
          "\(file): its schema is version \(version), but this program's is "
            + "\(Migration.ledger.count): use a newer sheaf-coordinator")
      }
      return version == Migration.ledger.count ? database : nil
    } catch let error as SQLiteError where error.code == .cannotOpen || error.code == .readOnly {
      return nil
    }
  }

  /// Migrates a ledger to the current schema and tests it, in one transaction.
  ///
  /// The migrations come first, because the test may report a problem that one of them repairs.
  ///
  /// - Throws: ``LedgerDamage`` if the ledger fails the test; the ledger stays unchanged.
  static func prepare(_ database: Database) throws {
    try Migrator(Migration.ledger).migrate(database) { database in
      if let problem = try database.problems().first {
        throw LedgerDamage(problem: problem)
      }
    }
  }

  /// Closes the ledger and merges its log into it, if the disk allows that and no other process reads the ledger.
  package func close() {
    try? database.checkpoint()
    try? database.endLog()
  }

  /// Writes all transitions, or none.
  ///
  /// - Throws: ``TransitionError`` if one of them is refused; ``LedgerError`` if all are.
  package func write(_ transitions: [Transition]) throws {
    guard !transitions.isEmpty else { return }
    try database.transaction {
      for (index, transition) in transitions.enumerated() {
        do {
          try write(transition)
        } catch let error as LedgerError {
          throw TransitionError(index: index, cause: error)
        }
      }
    }
  }

  /// Makes a write that changes nothing, to find out whether the ledger can be written.
  package func probe() throws {
    try database.transaction {
      try database.execute("PRAGMA user_version = \(Migration.ledger.count)")
    }
  }

  private func write(_ transition: Transition) throws {
    switch transition {
    case .attemptBegan(let grant, let date): try begin(grant, at: date)
    case .attemptEnded(let grant, let outcome, let frames, let date):
      try end(grant, outcome, framesRendered: frames, at: date)
    case .attemptLogged(let grant, let log): try keep(log, of: grant)
    case .chunkAccepted(let grant, let chunk, let deliverer, let date):
      let delivery = try noteDelivery(of: chunk.sha256, under: grant, by: deliverer, at: date)
      try update(
        grant.segment,
        "state = 'completed', worker = ?3, chunk_sha256 = ?4, chunk_bytes = ?5, delivery = ?6",
        grant.worker.rawValue, chunk.sha256.description, chunk.byteCount, delivery)
      try keep(chunk.concealments, of: chunk.sha256)
      try countConcealed(in: grant.segment)
      try database.run(
        """
        UPDATE attempts SET outcome = iif(token = ?3, 'completed', 'superseded'), ended_at = ?4
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
    case .chunkKept(let segment, let chunk, let date):
      try keep(chunk, at: date)
      try database.run(
        """
        UPDATE kept_chunks SET delivery = (
          SELECT delivery FROM segments WHERE job = ?2 AND number = ?3)
        WHERE content_key = ?1
        """, chunk.key.description, segment.job.rawValue, segment.index)
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
}
