import Foundation
import HTTP
import PostgreSQL
import SQL
import Threads

/// The claim of one coordinator on a ledger that several hosts can reach: a row with an epoch and a random token.
///
/// Every transaction that changes the ledger first locks the row, which must still have this claim's epoch and token,
/// and adds 1 to the number of commits in another table. So a coordinator that another one has replaced cannot write,
/// whatever it missed, and a coordinator whose connection breaks during a commit learns from the number whether the
/// commit took place.
///
/// While any transaction on the server holds a snapshot, all versions of changed rows stay. Finding the current version
/// of the claim's row would mean reading all of them, so commits do not change that row. The current number is found
/// through an index.
///
/// A thread of its own renews the claim until it is released. The database's clock decides when a claim expires.
final class LedgerOwnership: Sendable {
  /// A claim expires this long after its last renewal, in seconds.
  static let term = 15
  private static let renewal: TimeInterval = 4
  /// The time to wait for another claim to expire, or for the transaction of a coordinator that is suspended to end: the
  /// server ends it after the time that ``PostgreSQLLedgerDatabase/opening`` sets.
  static let patience: Duration = .seconds(2 * term)

  private let address: ServerAddress
  private let epoch: Int
  private let token: String
  private let renewer: Renewer

  /// Claims the ledger. Waits for the claim of a coordinator that may still run to expire.
  ///
  /// - Parameters:
  ///   - owner: the data directory's record, with the new claim.
  ///   - earlier: the tokens of claims whose processes have ended.
  ///   - address: where the claim is renewed.
  ///   - others: other identities that the ledger may have.
  ///   - entrance: where other coordinators reach this one; `nil` if they cannot.
  ///   - patience: how long to wait.
  ///   - report: called with the reason if the claim is lost.
  /// - Throws: ``StorageError/Code/owned`` if another coordinator owns the ledger, and ``StorageError/Code/inUse`` if
  ///   it belongs to another data directory.
  init(
    of connection: Connection, by owner: OwnerRecord, after earlier: [String],
    at address: ServerAddress, replacing others: [String],
    entrance: RelayTarget? = nil, patience: Duration = patience,
    whenLost report: @escaping @Sendable (String) -> Void
  ) throws {
    let token = owner.claims.last ?? ""
    let deadline = ContinuousClock.now + patience
    while true {
      let isLast = ContinuousClock.now >= deadline
      let start = ContinuousClock.now
      do {
        let epoch = try connection.transaction(PostgreSQLLedgerDatabase.opening) {
          try Self.claim(
            connection, owner, token, after: earlier, at: address, replacing: others,
            entrance: entrance)
        }
        if let epoch {
          (self.address, self.epoch, self.token) = (address, epoch, token)
          renewer = Renewer(
            epoch, token, at: address, every: Self.renewal, since: start, whenLost: report)
          return
        }
      } catch let error as PostgreSQLError where error.code == .conflict {
        guard !isLast else {
          throw StorageError(
            .owned,
            "another transaction holds the row in the table ledger_owner of \(address): end it; "
              + "pg_stat_activity lists it")
        }
      }
      guard !isLast else {
        throw StorageError(
          .owned,
          "another coordinator of this farm owns the ledger \(address): stop that coordinator, or start "
            + "both with --peer-address")
      }
      Thread.sleep(forTimeInterval: 0.5)
    }
  }

  /// Claims the ledger in the transaction that is open on a connection. Returns the epoch of the claim, or `nil` if another
  /// claim has not expired.
  private static func claim(
    _ connection: Connection, _ owner: OwnerRecord, _ token: String, after earlier: [String],
    at address: ServerAddress, replacing others: [String], entrance: RelayTarget?
  ) throws -> Int? {
    let found = try connection.first(
      """
      SELECT directory, token, expires_at < clock_timestamp() AS is_over FROM ledger_owner
      FOR UPDATE
      """
    ) { row in
      (
        directory: try row.get("directory") as String, token: try row.get("token") as String,
        isOver: try row.get("is_over") as Bool
      )
    }
    guard let found else { return nil }
    guard found.directory == owner.directory || others.contains(found.directory) else {
      throw refusal(found.directory, address)
    }
    guard found.isOver || earlier.contains(found.token) else { return nil }
    return try connection.first(
      """
      UPDATE ledger_owner SET directory = $1, epoch = epoch + 1, token = $2,
        expires_at = clock_timestamp() + $3 * interval '1 second', address = $4, relay_key = $5
      RETURNING epoch
      """, owner.directory, token, term, entrance.map { "\($0.place)" } ?? "", entrance?.key ?? ""
    ) { try $0.get("epoch") as Int }
  }

  /// Checks that a ledger belongs to no data directory.
  static func assureNew(_ connection: Connection, _ address: ServerAddress) throws {
    let directory = try connection.first("SELECT directory FROM ledger_owner") {
      try $0.get("directory") as String
    }
    if let directory, directory != "" { throw refusal(directory, address) }
  }

  /// The error for a ledger of another data directory, or of none.
  private static func refusal(_ directory: String, _ address: ServerAddress) -> StorageError {
    if directory == "" {
      return StorageError(
        .inUse,
        "the database \(address) has a new ledger, but the data directory has files of another one: "
          + "name its database, or restore a backup of it")
    }
    if directory.hasPrefix(moved) {
      return StorageError(
        .inUse,
        "the ledger \(address) was moved to SQLite: leave --ledger out, or create the database anew; "
          + "if the move was interrupted, run `sheaf-coordinator move-ledger --back` again")
    }
    return StorageError(
      .inUse,
      "the ledger \(address) belongs to another data directory, or is an earlier copy: use that "
        + "directory, or another database; if this directory was restored from a backup, restore "
        + "its ledger-owner.json too")
  }

  /// The prefix of a data directory's identity in a ledger that was moved to SQLite.
  static let moved = "moved to SQLite: "

  /// Begins a transaction on a connection, and adds 1 to the number of commits if the claim is still in force.
  ///
  /// - Parameter number: the last known number.
  /// - Returns: whether it was added. Otherwise, the claim is lost or the number has changed.
  func begin(_ connection: Connection, after number: Int) throws -> Bool {
    try connection.run(
      """
      WITH claim AS (
        SELECT FROM ledger_owner WHERE epoch = $1 AND token = $2 FOR NO KEY UPDATE)
      UPDATE ledger_commits SET number = number + 1 FROM claim WHERE number = $3
      """, bind: [epoch, token, number], after: PostgreSQLLedgerDatabase.opening) == 1
  }

  /// The number of commits. Waits for transactions that other connections still have open for this claim.
  ///
  /// - Throws: ``LedgerError/Code/lost`` if the claim is lost.
  func settledCommits(_ connection: Connection) throws -> Int {
    try connection.transaction(PostgreSQLLedgerDatabase.opening) {
      _ = try connection.run("SELECT FROM ledger_owner FOR UPDATE")
      // A statement sees what was committed before it began.
      return try commits(connection)
    }
  }

  /// The number of commits that can be seen on a connection.
  ///
  /// - Throws: ``LedgerError/Code/lost`` if the claim is lost.
  func commits(_ connection: Connection) throws -> Int {
    let number = try connection.first(
      """
      SELECT (SELECT max(number) FROM ledger_commits) AS number FROM ledger_owner
      WHERE epoch = $1 AND token = $2
      """, epoch, token
    ) { try $0.get("number") as Int }
    guard let number else { throw Self.lost }
    return number
  }

  /// Whether the claim is certainly still valid: it was made or renewed less than its term ago, by this host's clock,
  /// which keeps running while the process is suspended.
  var isHeld: Bool { renewer.isHeld }

  /// Ends the claim for good: the ledger has been moved.
  ///
  /// - Parameter directory: the replacement for the data directory's identity.
  /// - Throws: ``LedgerError/Code/lost`` if the claim is lost.
  func retire(_ connection: Connection, as directory: String) throws {
    let changed = try connection.run(
      "UPDATE ledger_owner SET directory = $3 WHERE epoch = $1 AND token = $2", epoch, token,
      directory)
    guard changed == 1 else { throw Self.lost }
  }

  /// The error for a claim that another coordinator has taken over.
  static let lost = LedgerError(
    .lost, "another coordinator has taken over the ledger, or the server has lost this one's claim")

  /// Ends the claim, so that another coordinator can claim the ledger at once.
  func release(_ connection: Connection?) {
    renewer.stop()
    for connection in [connection, nil] {
      do {
        let connection = try connection ?? Connection(to: address, patience: .seconds(5))
        // Without the token, neither a renewal that is on its way nor a late write counts any more.
        try connection.transaction(PostgreSQLLedgerDatabase.opening) {
          _ = try connection.run(
            """
            UPDATE ledger_owner SET expires_at = '-infinity', token = ''
            WHERE epoch = $1 AND token = $2
            """, epoch, token)
        }
        return
      } catch { continue }
    }
  }

  deinit { renewer.stop() }
}

/// The thread that renews a claim.
///
/// `@unchecked`: every access to `isStopped` and `lastRenewal` holds `condition`.
private final class Renewer: @unchecked Sendable {
  private let condition = NSCondition()
  private var isStopped = false
  /// The time just before the last successful renewal.
  private var lastRenewal: ContinuousClock.Instant

  init(
    _ epoch: Int, _ token: String, at address: ServerAddress, every interval: TimeInterval,
    since claim: ContinuousClock.Instant, whenLost report: @escaping @Sendable (String) -> Void
  ) {
    lastRenewal = claim
    BlockingThread.start(named: "ledger-owner") { [self] in
      var connection: Connection?
      while wait(interval) {
        if connection?.isBroken != false {
          connection = try? Connection(to: address, patience: PostgreSQLLedgerDatabase.patience)
        }
        let start = ContinuousClock.now
        // Its limits are shorter than the patience, so that no transaction is left behind.
        let renewed = try? connection?.transaction(PostgreSQLLedgerDatabase.opening) {
          try connection?.run(
            """
            UPDATE ledger_owner SET expires_at = clock_timestamp() + $3 * interval '1 second'
            WHERE epoch = $1 AND token = $2
            """, epoch, token, LedgerOwnership.term)
        }
        // If only this host is cut off, another coordinator may claim the ledger. The next write then fails.
        guard renewed == 0 else {
          if renewed == 1 { condition.withLock { lastRenewal = start } }
          continue
        }
        let wasStopped = condition.withLock {
          defer { isStopped = true }
          return isStopped
        }
        if !wasStopped { report(LedgerOwnership.lost.message) }
        return
      }
    }
  }

  var isHeld: Bool {
    condition.withLock {
      !isStopped && ContinuousClock.now - lastRenewal < .seconds(LedgerOwnership.term)
    }
  }

  func stop() {
    condition.withLock {
      isStopped = true
      condition.broadcast()
    }
  }

  /// Waits for the next renewal. Returns `false` to end the thread.
  private func wait(_ interval: TimeInterval) -> Bool {
    condition.withLock {
      let end = Date(timeIntervalSinceNow: interval)
      while !isStopped, condition.wait(until: end) {}
      return !isStopped
    }
  }
}
