import CSQLite
import SQL

/// An owned connection to a SQLite database.
///
/// It uses a write-ahead log, enforces foreign keys, and has `synchronous=EXTRA` unless it is opened otherwise: every
/// committed transaction has reached the disk, with or without a log. It belongs to one thread or actor at a time, and
/// is not `Sendable`. Every call may block on the disk, so keep it in an actor that runs on a `Threads.ThreadExecutor`.
public final class Database {
  /// The location of a database.
  public enum Location: Hashable, Sendable {
    /// In a file, which is created if it is missing.
    case file(String)
    /// In memory, for the lifetime of the connection.
    case memory
  }

  /// The operations that a connection allows.
  public enum Access: Hashable, Sendable {
    /// Read and write; the file is created if it is missing.
    case readWrite
    /// Read and write an existing file, with or without a log, as it is.
    case existing
    /// Read an existing file, whether or not another connection writes to it.
    case readOnly
  }

  /// The location of this database.
  public let location: Location
  /// Whether a committed transaction has reached the disk.
  let isDurable: Bool
  private let connection: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// Merges the log on a thread of its own, if it was asked to.
  private var merger: LogMerger?

  /// Opens the database at `location`.
  ///
  /// - Parameters:
  ///   - access: the operations that the connection allows.
  ///   - startsLog: whether a connection that may write calls ``startLog()``.
  ///   - isDurable: whether commits wait until they have reached the disk.
  ///   - busyTimeout: the maximum time to wait while another connection holds the lock.
  public init(
    _ location: Location, access: Access = .readWrite, startsLog: Bool = true,
    isDurable: Bool = true, busyTimeout: Duration = .seconds(5)
  ) throws(SQLiteError) {
    self.location = location
    self.isDurable = isDurable
    connection = try Self.open(location, access)
    sqlite3_extended_result_codes(connection, 1)
    let milliseconds = busyTimeout.components.seconds * 1000
    sqlite3_busy_timeout(connection, Int32(clamping: milliseconds))
    try execute(
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = \(isDurable ? "EXTRA" : "OFF"); "
        + "PRAGMA trusted_schema = OFF;")
    guard try pragma("foreign_keys") == .integer(1) else {
      throw SQLiteError(.unsupported, "this SQLite does not enforce foreign keys")
    }
    keepLogOnClose()
    if access == .readWrite, startsLog { try startLog() }
  }

  /// Keeps the log when the connection closes: only ``endLog()`` ends it.
  private func keepLogOnClose() {
    _ = sheaf_sqlite3_keep_log_on_close(connection)
    var keeps: Int32 = 1
    // `endLog` needs the log to exist until the header has been changed.
    _ = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
  }

  private static func open(
    _ location: Location, _ access: Access
  ) throws(SQLiteError) -> OpaquePointer {
    let path =
      switch location {
      case .file(let path): path
      case .memory: ":memory:"
      }
    var handle: OpaquePointer?
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .existing: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    let result = sqlite3_open_v2(path, &handle, SQLITE_OPEN_NOMUTEX | flags, nil)
    guard result == SQLITE_OK, let handle else {
      let found = SQLiteError(of: handle, result: result)
      sqlite3_close_v2(handle)
      throw SQLiteError(found.code, "cannot open the database: \(path): \(found.message)")
    }
    return handle
  }

  /// Lets a thread of its own merge the log into the database, until the connection closes or the log ends.
  public func mergeLogOnOwnThread() {
    guard case .file(let path) = location, merger == nil else { return }
    let merger = LogMerger(of: path)
    merger.attach(to: connection)
    self.merger = merger
  }

  /// Waits until no thread merges the log.
  func stopMergingLog() {
    guard let merger else { return }
    merger.detach(from: connection)
    merger.stop()
    self.merger = nil
  }

  deinit {
    stopMergingLog()
    statements.removeAll()
    sqlite3_close_v2(connection)
  }

  /// Runs every statement of `script`. The statements must have neither parameters nor rows.
  public func execute(_ script: String) throws(SQLiteError) {
    let result = sqlite3_exec(connection, script, nil, nil, nil)
    guard result == SQLITE_OK else {
      throw SQLiteError(of: connection, result: result, sql: script)
    }
  }

  /// The prepared form of `sql`, from the cache if it was prepared before.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let cached = statements[sql], !cached.isBusy { return cached }
    let statement = try Statement(sql, connection: connection)
    // A busy statement stays in the cache, and the new one serves only the nested run of the same text.
    if statements[sql] == nil { statements[sql] = statement }
    return statement
  }

  /// The number of rows that the last insert, update or delete changed.
  public var changedRows: Int { Int(sqlite3_changes64(connection)) }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }
}
