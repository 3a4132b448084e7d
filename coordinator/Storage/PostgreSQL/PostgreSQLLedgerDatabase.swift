import Foundation
import HTTP
import PostgreSQL
import SQL

/// A ledger's PostgreSQL database.
///
/// It connects again if the connection breaks. A statement that only reads is then run again. A transaction fails, and the
/// farm writes it again later; if the connection breaks during its commit, ``LedgerOwnership`` tells whether it took place.
final class PostgreSQLLedgerDatabase: LedgerDatabase {
  private let address: ServerAddress
  /// The claim that permits writes; `nil` to read only.
  private let ownership: LedgerOwnership?
  /// The reasons why this process must not use the ledger any more.
  let losses: AsyncStream<String>?
  private let loss: AsyncStream<String>.Continuation?
  private var connection: Connection?
  /// The number of the last commit that is known to have taken place.
  private var commits = 0
  /// The random identity of this ledger, which is not that of its data directory; `nil` if it was opened for reading.
  private var identity: String?
  /// The number of a commit that was reported as failed, although its outcome could not be found out.
  private var doubtful: Int?
  private var isInTransaction = false
  /// The statements of the open transaction that are sent together with the next one that returns something, or with the
  /// commit. Each wait for the server blocks the farm.
  private var queue: [Statement] = []
  private var isClosed = false
  private var marks = ParameterMarks()
  /// The last failure to connect, and the time before which no other try is made, so that calls do not queue up behind a
  /// server that does not answer.
  private var outage: (error: PostgreSQLError, end: ContinuousClock.Instant)?
  /// The last failure to write, and the time before which no other try is made.
  private var obstacle: (error: PostgreSQLError, end: ContinuousClock.Instant)?
  /// The connections of snapshots; `nil` if this one only reads.
  private let readers: ReaderConnections?

  /// The time after which the search for the outcome of a commit ends.
  private static let settlingTime: Duration = .seconds(10)
  private static let outagePause: Duration = .seconds(5)
  /// The maximum time to wait for the answer to a statement.
  static let patience: Duration = .seconds(30)
  /// How transactions begin. Each statement sees what was committed before it, whatever the server's default is. The
  /// server ends a transaction whose coordinator is suspended or gone, so that it does not lock out the next one; a
  /// statement ends before its coordinator gives up on it.
  static let opening = [
    Statement("BEGIN ISOLATION LEVEL READ COMMITTED"),
    Statement(
      """
      SELECT set_config('lock_timeout', '8s', true), set_config('statement_timeout', '25s', true),
        set_config('idle_in_transaction_session_timeout', '10s', true)
      """),
  ]
  /// How transactions begin that see one state of the database.
  static let reading = [Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
  /// The maximum number of statements that are sent together.
  private static let longestQueue = 100

  /// Takes over a connection for reading.
  init(reading connection: Connection, at address: ServerAddress) {
    self.address = address
    self.connection = connection
    (losses, ownership, loss, readers) = (nil, nil, nil, nil)
  }

  /// Takes over a connection, and claims the ledger.
  ///
  /// - Parameters:
  ///   - owner: the data directory's record, with the new claim.
  ///   - earlier: the tokens of claims whose processes have ended.
  ///   - others: other identities that the ledger may have.
  ///   - entrance: where other coordinators reach this one; `nil` if they cannot.
  ///   - patience: how long to wait for the claim of another coordinator to expire.
  /// - Throws: ``StorageError/Code/owned`` if another coordinator owns the ledger.
  init(
    _ connection: Connection, at address: ServerAddress, for owner: OwnerRecord,
    after earlier: [String], replacing others: [String], entrance: RelayTarget? = nil,
    patience: Duration = LedgerOwnership.patience
  ) throws {
    self.address = address
    self.connection = connection
    readers = ReaderConnections(to: address)
    let (losses, loss) = AsyncStream<String>.makeStream()
    (self.losses, self.loss) = (losses, loss)
    let ownership = try LedgerOwnership(
      of: connection, by: owner, after: earlier, at: address, replacing: others,
      entrance: entrance, patience: patience
    ) { loss.yield($0) }
    self.ownership = ownership
    commits = try ownership.settledCommits(connection)
    identity = try connection.first("SELECT ledger::text AS ledger FROM ledger_owner") {
      try $0.get("ledger") as String
    }
  }

  let dialect = LedgerDialect(
    elements: { array, name in
      "json_array_elements_text(CAST(\(array) AS json)) WITH ORDINALITY AS \(name) (value, key)"
    },
    contains: { "position(\($1) IN \($0)) > 0" }, using: { _ in "" })

  /// Runs `body`, and turns PostgreSQL's errors into errors of the ledger.
  private func translating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw LedgerError(error)
    } catch let error as MismatchError {
      throw LedgerError(error)
    } catch let error as LedgerError where error.code == .lost {
      loss?.yield(error.message)
      throw error
    }
  }

  /// The connection, or a new one if it is broken and no transaction depends on it.
  private func connected() throws -> Connection {
    guard !isClosed else { throw LedgerError(.passing, "the ledger was closed") }
    if let connection, !connection.isBroken || isInTransaction { return connection }
    let new = try connect()
    if let ownership, try ownership.commits(new) < commits { throw Self.lostCommits }
    connection = new
    return new
  }

  /// A new connection. Fails at once for a while after a failure.
  private func connect() throws -> Connection {
    if let outage, ContinuousClock.now < outage.end { throw outage.error }
    do throws(PostgreSQLError) {
      let new = try Connection(to: address, patience: Self.patience)
      outage = nil
      return new
    } catch {
      outage = (error, .now + Self.outagePause)
      throw error
    }
  }

  /// Compares the ledger with what this process knows about it.
  ///
  /// - Throws: ``LedgerError/Code/lost`` if they differ.
  private func check(_ number: Int) throws {
    guard number != commits else { return }
    guard number > commits else { throw Self.lostCommits }
    throw LedgerError(
      .lost,
      (number == doubtful
        ? "a transaction was committed although the connection to the ledger broke"
        : "the ledger has transactions that this coordinator did not write") + Self.remedy)
  }

  private static let remedy = ": the coordinator must start again, to read the ledger as it is"
  private static let lostCommits = LedgerError(
    .lost,
    "the ledger has lost transactions, as after a failover to a standby that lagged behind\(remedy)"
  )

  /// Runs statements that only read. If the connection is broken, they are run again.
  private func reading<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    try translating {
      let first = try connected()
      do {
        return try body(first)
      } catch let error as PostgreSQLError where error.code == .lost && !isInTransaction {
        return try body(connected())
      }
    }
  }

  func each(
    _ sql: String, bind values: [any Storable], do body: (borrowing Row) throws -> Void
  ) throws {
    let (sql, values) = (marks.translated(sql), values.map(\.sqlValue.withoutNUL))
    let earlier = takeQueue()
    try reading { try $0.each(sql, bind: values, after: earlier, do: body) }
  }

  func first<T>(
    _ sql: String, bind values: [any Storable], as row: (borrowing Row) throws -> T
  ) throws -> T? {
    let (sql, values) = (marks.translated(sql), values.map(\.sqlValue.withoutNUL))
    let earlier = takeQueue()
    return try reading { try $0.first(sql, bind: values, after: earlier, as: row) }
  }

  func run(_ sql: String, bind values: [any Storable]) throws {
    guard isInTransaction, ownership != nil else {
      return try transaction { try run(sql, bind: values) }
    }
    let values = values.map(\.sqlValue.withoutNUL)
    queue.append(Statement(marks.translated(sql), bind: values))
    if queue.count == Self.longestQueue { try flush() }
  }

  func change(_ sql: String, bind values: [any Storable]) throws -> Int {
    guard isInTransaction, ownership != nil else {
      return try transaction { try change(sql, bind: values) }
    }
    let (sql, values) = (marks.translated(sql), values.map(\.sqlValue.withoutNUL))
    return try translating { try connected().run(sql, bind: values, after: takeQueue()) }
  }

  func flush() throws {
    try translating { try connected().run(takeQueue()) }
  }

  /// Empties ``queue``, and returns what was in it.
  private func takeQueue() -> [Statement] {
    defer { queue = [] }
    return queue
  }

  func transaction<T>(_ body: () throws -> T) throws -> T {
    try translating {
      guard let ownership else { throw LedgerError(.other, "the ledger was opened for reading") }
      let (connection, number) = try begin(ownership)
      isInTransaction = true
      defer { (isInTransaction, queue) = (false, []) }
      let value: T
      do {
        value = try body()
      } catch {
        rollBack(connection)
        throw error
      }
      do throws(PostgreSQLError) {
        try connection.commit(after: takeQueue())
      } catch let error where error.code == .lost {
        guard try hasCommitted(number) else { throw error }
      } catch {
        rollBack(connection)
        throw error
      }
      commits = number
      return value
    }
  }

  /// Ends a transaction without a commit. A failure must not hide the reason for it.
  private func rollBack(_ connection: Connection) {
    if !connection.isBroken { try? connection.execute("ROLLBACK") }
  }

  /// Begins a transaction, and returns the number that its commit will have. Fails at once for a while after a failure.
  private func begin(_ ownership: LedgerOwnership) throws -> (Connection, Int) {
    if let obstacle, ContinuousClock.now < obstacle.end { throw obstacle.error }
    do {
      let first = try connected()
      let begun: (Connection, Int)
      do {
        begun = try begin(ownership, first)
      } catch let error as PostgreSQLError where error.code == .lost && !error.isTimeout {
        // The connection broke while it was idle. Nothing has been written yet.
        begun = try begin(ownership, connected())
      }
      obstacle = nil
      return begun
    } catch let error as PostgreSQLError {
      obstacle = (error, .now + Self.outagePause)
      throw error
    }
  }

  private func begin(
    _ ownership: LedgerOwnership, _ connection: Connection
  ) throws -> (Connection, Int) {
    do {
      guard try ownership.begin(connection, after: commits) else {
        try check(ownership.commits(connection))
        throw LedgerError(.passing, "another transaction of this coordinator was still open")
      }
      doubtful = nil
      return (connection, commits + 1)
    } catch {
      rollBack(connection)
      throw error
    }
  }

  /// Whether the commit with a number took place, although its answer is missing.
  ///
  /// - Throws: if that cannot be found out in time. Then this process may not write until it is known.
  private func hasCommitted(_ number: Int) throws -> Bool {
    doubtful = number
    let deadline = ContinuousClock.now + Self.settlingTime
    while true {
      do {
        let new = try Connection(to: address, patience: Self.settlingTime)
        let found = try ownership?.settledCommits(new)
        if found == number {
          (connection, doubtful) = (new, nil)
          return true
        }
        try check(found ?? 0)
        connection = new
        return false
      } catch let error as PostgreSQLError {
        guard ContinuousClock.now < deadline else {
          obstacle = (error, .now + Self.outagePause)
          throw error
        }
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  /// Makes an empty transaction, which counts a commit.
  func probe() throws { try transaction {} }

  var isRemote: Bool { true }

  var position: LedgerPosition? { identity.map { LedgerPosition(ledger: $0, commits: commits) } }

  var isOwned: @Sendable () -> Bool {
    guard let ownership else { return { false } }
    return { ownership.isHeld }
  }

  func problems() throws -> [String] {
    try reading { connection in
      let indexes = try connection.rows(
        "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid ORDER BY 1"
      ) { "the index '\(try $0.get("name") as String)' is not valid: rebuild it with REINDEX" }
      let references = try connection.rows(
        "SELECT conname::text AS name FROM pg_constraint WHERE NOT convalidated ORDER BY 1"
      ) { "the constraint '\(try $0.get("name") as String)' is not validated" }
      return indexes + references
    }
  }

  var snapshot: (any LedgerSnapshot)? {
    guard let readers, let ownership else { return nil }
    return ServerSnapshot(
      address: address, readers: readers, ownership: ownership, commits: commits)
  }

  /// A coordinator that cannot start does not keep others from the ledger.
  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    ownership?.release(connection?.isBroken == false ? connection : nil)
    connection = nil
    readers?.close()
    loss?.finish()
  }

  /// Runs `body` in a transaction that only reads, and sees one state of the database.
  func snapshot<Value>(_ body: () throws -> Value) throws -> Value {
    try translating {
      try connected().transaction(Self.reading) {
        isInTransaction = true
        defer { isInTransaction = false }
        return try body()
      }
    }
  }
}

/// Reads a ledger through another connection.
private struct ServerSnapshot: LedgerSnapshot {
  let address: ServerAddress
  let readers: ReaderConnections
  let ownership: LedgerOwnership
  /// The commits that the snapshot must contain.
  let commits: Int

  func read<Value>(_ read: (any FarmLedger) throws -> Value) throws -> Value {
    do {
      return try readers.lend { connection in
        let database = PostgreSQLLedgerDatabase(reading: connection, at: address)
        return try database.snapshot {
          // Another server of the address may lag behind.
          guard try ownership.commits(connection) >= commits else {
            throw LedgerError(.passing, "the database server \(address) lags behind")
          }
          return try read(Ledger(database, data: nil))
        }
      }
    } catch let error as PostgreSQLError {
      throw LedgerError(error)
    }
  }
}
