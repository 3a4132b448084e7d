import CSQLite

/// An error of a database, with the statement that caused it.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public let code: Code
  /// SQLite's extended result code; 0 if this module detected the failure itself.
  public let extendedCode: Int32
  /// The problem, its subject and the remedy.
  public let message: String
  /// The statement, if there is one.
  public let sql: String?

  /// The message, with the statement if there is one.
  public var description: String {
    sql.map { "\(message): in: \($0)" } ?? message
  }

  init(_ code: Code, _ message: String, sql: String? = nil) {
    self.code = code
    self.extendedCode = 0
    self.message = message
    self.sql = sql
  }

  /// Creates an error from the result of the last call on `connection`.
  init(of connection: OpaquePointer?, result: Int32, sql: String? = nil) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
    code = Code(result: extended == SQLITE_OK ? result : extended)
    extendedCode = extended == SQLITE_OK ? result : extended
    message =
      connection.map { String(cString: sqlite3_errmsg($0)) }
      ?? String(cString: sqlite3_errstr(result))
    self.sql = sql
  }
}

extension SQLiteError {
  /// A kind of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind {
      case busy, constraint, full, readOnly, cannotOpen, inputOutput, corrupt, notADatabase
      case newerSchema, invalidMigration, unsupported, other
    }

    private let kind: Kind

    /// Another connection kept the database locked for longer than the busy timeout.
    public static let busy = Code(kind: .busy)
    /// A uniqueness, foreign key, not-null or check constraint failed.
    public static let constraint = Code(kind: .constraint)
    /// The disk is full.
    public static let full = Code(kind: .full)
    /// The database cannot be written.
    public static let readOnly = Code(kind: .readOnly)
    /// The file cannot be opened.
    public static let cannotOpen = Code(kind: .cannotOpen)
    /// The disk failed.
    public static let inputOutput = Code(kind: .inputOutput)
    /// The file is damaged.
    public static let corrupt = Code(kind: .corrupt)
    /// The file is something other than a database.
    public static let notADatabase = Code(kind: .notADatabase)
    /// The database was written by a newer program.
    public static let newerSchema = Code(kind: .newerSchema)
    /// The migrations of the program are not numbered 1, 2, 3, and so on.
    public static let invalidMigration = Code(kind: .invalidMigration)
    /// SQLite was built without a feature that the ledger needs.
    public static let unsupported = Code(kind: .unsupported)
    /// Anything else; see the message.
    public static let other = Code(kind: .other)

    private init(kind: Kind) {
      self.kind = kind
    }

    init(result: Int32) {
      switch result & 0xff {
      case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
      case SQLITE_CONSTRAINT: self = .constraint
      case SQLITE_FULL: self = .full
      case SQLITE_READONLY: self = .readOnly
      case SQLITE_CANTOPEN: self = .cannotOpen
      case SQLITE_IOERR: self = .inputOutput
      case SQLITE_CORRUPT: self = .corrupt
      case SQLITE_NOTADB: self = .notADatabase
      default: self = .other
      }
    }
  }
}
